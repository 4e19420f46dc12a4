import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { turnKeys } from "./turn-keys.ts";
import { writeKeys } from "./write-keys.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-turn-"));
  writeKeys(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const keysOf = (name: string): string[] => readFileSync(join(folder, name), "utf8").trim().split(",");
const NAMES = ["TELNYX_API_KEY", "EXCHANGE_TOKEN_KEY", "EXCHANGE_SIGNING_KEY", "TELNYX_PUBLIC_KEY"];

test.each(NAMES)("%s is accepted beside the old key, then used, then alone", (name) => {
  const [old] = keysOf(name);
  turnKeys(folder, "add");
  const [first, added] = keysOf(name);
  expect(first).toBe(old);
  expect(added).not.toBe(old);
  turnKeys(folder, "use");
  expect(keysOf(name)).toEqual([added, old]);
  turnKeys(folder, "drop");
  expect(keysOf(name)).toEqual([added]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("the service's own secrets are kept, because passwords depend on them, and the newest is used", () => {
  for (const turn of ["add", "use", "drop", "add", "use"] as const) turnKeys(folder, turn);
  expect(keysOf("SECRET_KEYS").map((key) => key.split(":", 1)[0])).toEqual(["3", "2", "1"]);
});

test.each([
  ["use", "no key was added"],
  ["drop", "no key was added"],
] as const)("%s without a new key changes nothing", (turn, problem) => {
  const before = NAMES.map(keysOf);
  expect(() => turnKeys(folder, turn)).toThrow(problem);
  expect(NAMES.map(keysOf)).toEqual(before);
});

test("a second new key, or a damaged file, changes nothing", () => {
  turnKeys(folder, "add");
  expect(() => turnKeys(folder, "add")).toThrow("already");
  turnKeys(folder, "use");
  turnKeys(folder, "drop");
  writeFileSync(join(folder, "EXCHANGE_SIGNING_KEY"), "damaged");
  const before = NAMES.map(keysOf);
  expect(() => turnKeys(folder, "add")).toThrow();
  expect(NAMES.map(keysOf)).toEqual(before);
});
