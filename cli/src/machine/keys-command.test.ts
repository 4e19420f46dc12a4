import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSettings } from "@farline/contract/settings/read-settings.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { turnKeys, writeKeys } from "./keys-command.ts";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "farline-keys-")), "keys");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

/** What service and exchange read from the files. */
function environment(): Record<string, string> {
  return Object.fromEntries(writeKeys(folder).map(({ name, file }) => [`${name}_FILE`, file]));
}

test("the keys are valid settings of both programs, and only their owner may read them", () => {
  const keys = environment();
  const database = { DATABASE_URL: "postgres://farline@localhost/farline", STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "wh" };
  expect(parseSettings("service", { ...keys, ...database })).not.toHaveProperty("problems");
  const exchange = { WEBHOOK_URL: "http://127.0.0.1:3000/api/webhooks/telnyx", ALLOWED_ORIGINS: "https://call.example.com" };
  expect(parseSettings("exchange", { ...keys, ...exchange, SIP_TRUNKS: "/etc/farline/trunks.json" })).not.toHaveProperty(
    "problems",
  );
  for (const file of Object.values(keys)) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a second run keeps the keys, and makes what is missing from them", () => {
  const keys = environment();
  const before = Object.values(keys).map((file) => readFileSync(file, "utf8"));
  const publicKey = readFileSync(join(folder, "TELNYX_PUBLIC_KEY"), "utf8");
  rmSync(join(folder, "TELNYX_PUBLIC_KEY"));
  expect(writeKeys(folder).filter(({ made }) => made)).toMatchObject([{ name: "TELNYX_PUBLIC_KEY" }]);
  expect(readFileSync(join(folder, "TELNYX_PUBLIC_KEY"), "utf8")).toBe(publicKey);
  expect(Object.values(keys).map((file) => readFileSync(file, "utf8"))).toEqual(before);
});

test("a damaged signing key is an error", () => {
  environment();
  writeFileSync(join(folder, "EXCHANGE_SIGNING_KEY"), "damaged");
  rmSync(join(folder, "TELNYX_PUBLIC_KEY"));
  expect(() => writeKeys(folder)).toThrow();
});

describe("a replacement of the keys", () => {
  beforeEach(() => void writeKeys(folder));
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
});
