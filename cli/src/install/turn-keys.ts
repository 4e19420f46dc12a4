import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newSecrets } from "../start/data-directory.ts";
import { publicKeysOf } from "./write-keys.ts";

/** The three steps of replacing keys. All programs are restarted after each. */
export const TURNS = ["add", "use", "drop"] as const;
export type Turn = (typeof TURNS)[number];

/** Longer lists mean that a step was forgotten. */
const MAX_KEYS = 20;

/**
 * Replaces the keys that service and exchanges share, one step at a time: `add` has a new one accepted, `use` puts it first, `drop` removes the
 * others. What was made with the first keys stays valid until they are dropped. `SECRET_KEYS` keeps all, because passwords depend on them.
 * @returns the files written
 * @throws Error if a file cannot be read or written, or if this is not the next step
 */
export function turnKeys(folder: string, turn: Turn): string[] {
  const made = newSecrets();
  const exchanges = [
    ["TELNYX_API_KEY", made.telnyxApiKey],
    ["EXCHANGE_TOKEN_KEY", made.exchangeTokenKey],
    ["EXCHANGE_SIGNING_KEY", made.exchangeSigningKey],
  ] as const;
  // All are worked out before the first is written.
  const lists = exchanges.map(([name, value]) => [name, turned(readKeys(folder, name), turn, value)] as const);
  const secrets = turnedSecrets(readKeys(folder, "SECRET_KEYS"), turn);
  const signing = lists.find(([name]) => name === "EXCHANGE_SIGNING_KEY")?.[1] ?? [];
  return [["SECRET_KEYS", secrets] as const, ...lists, ["TELNYX_PUBLIC_KEY", publicKeysOf(signing)] as const].map(
    ([name, keys]) => replace(join(folder, name), `${keys.join(",")}\n`),
  );
}

function turned(keys: readonly string[], turn: Turn, made: string): readonly string[] {
  if (turn === "add") {
    if (keys.length > 1) throw new Error("a key is being replaced already: use and drop first");
    return [...keys, made];
  }
  if (keys.length < 2) throw new Error("no key was added");
  return turn === "use" ? [...keys.slice(-1), ...keys.slice(0, -1)] : keys.slice(0, 1);
}

/** Each has a number. The highest is the newest. */
function turnedSecrets(keys: readonly string[], turn: Turn): readonly string[] {
  const newestFirst = keys.toSorted((one, other) => numberOf(other) - numberOf(one));
  if (turn === "use") return newestFirst;
  if (turn === "drop") return keys;
  if (keys.length >= MAX_KEYS) throw new Error(`SECRET_KEYS has ${keys.length} keys`);
  return [...keys, `${numberOf(newestFirst[0] ?? "") + 1}:${randomBytes(32).toString("base64")}`];
}

function numberOf(key: string): number {
  const number = Number(key.split(":", 1)[0]);
  if (!Number.isSafeInteger(number)) throw new Error("a key of SECRET_KEYS has no number before its colon");
  return number;
}

function readKeys(folder: string, name: string): readonly string[] {
  return readFileSync(join(folder, name), "utf8").trim().split(",");
}

/** Never half a file: a program may start at any time. */
function replace(file: string, text: string): string {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}
