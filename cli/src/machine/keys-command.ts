import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { CommandError, onMachine, run, show } from "../command.ts";
import { newSecrets } from "../start/data-directory.ts";

/** The three steps of replacing keys. All programs are restarted after each. */
const TURNS = ["add", "use", "drop"] as const;
type Turn = (typeof TURNS)[number];

/** Longer lists mean that a step was forgotten. */
const MAX_KEYS = 20;

/** `keys <folder>`: the keys of an installation whose programs are started apart (docs/operate/deploy.md). */
export function addKeysCommand(program: Command): void {
  onMachine(program.command("keys"))
    .argument("<folder>", "where the files go; only their owner may read them")
    .description("make the keys of a new installation, a file for each setting; keeps files that exist")
    .addOption(
      new Option("--turn <step>", "replace the keys there by new ones in three steps, with restarts after each").choices(TURNS),
    )
    .action(
      run(async (folder: string, { turn }: { turn?: Turn }) => {
        if (turn !== undefined) {
          const files = attempt(() => turnKeys(folder, turn));
          show({ files }, files);
          return;
        }
        const keys = attempt(() => writeKeys(folder));
        show(
          { keys },
          keys.map(({ file, made }) => `${made ? "made" : "kept"}  ${file}`),
        );
      }),
    );
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`The keys cannot be written: ${(error as Error).message}.`);
  }
}

/** A file with the value of a setting, by the setting's name. */
interface KeyFile {
  readonly name: string;
  readonly file: string;
  /** False for a file that was there. */
  readonly made: boolean;
}

/**
 * Writes the keys that an installation of service, exchange and relay makes for itself, a file each, which only their owner may read.
 * Files that exist are kept, so that a second run adds what a newer version needs.
 * @throws Error if the folder or a file cannot be written, or if the signing key that is there cannot be read
 */
export function writeKeys(folder: string): KeyFile[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = newSecrets();
  const write = (name: string, value: string): KeyFile => {
    const file = join(folder, name);
    if (existsSync(file)) return { name, file, made: false };
    writeFileSync(file, `${value}\n`, { mode: 0o600, flag: "wx" });
    return { name, file, made: true };
  };
  return [
    write("SECRET_KEYS", `1:${made.serviceSecret}`),
    write("METRICS_TOKEN", randomBytes(32).toString("base64url")),
    write("TURN_SECRET", randomBytes(32).toString("base64url")),
    write("TELNYX_API_KEY", made.telnyxApiKey),
    write("TELNYX_CONNECTION_ID", made.connectionId),
    write("EXCHANGE_TOKEN_KEY", made.exchangeTokenKey),
    write("EXCHANGE_SIGNING_KEY", made.exchangeSigningKey),
    write("TELNYX_PUBLIC_KEY", publicKeysOf(readFileSync(join(folder, "EXCHANGE_SIGNING_KEY"), "utf8").split(",")).join(",")),
  ];
}

/** The service verifies with them what the exchange signs. @returns 32 bytes in base64 each */
function publicKeysOf(signingKeys: readonly string[]): string[] {
  return signingKeys.map((one) => {
    const key = createPrivateKey({ key: Buffer.from(one, "base64"), format: "der", type: "pkcs8" });
    return createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32).toString("base64");
  });
}

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
