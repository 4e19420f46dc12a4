import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namesReadBy, parseSettings } from "../src/settings/read-settings.ts";
import type { Program } from "../src/settings/setting.ts";
import { readEnvironment } from "../src/settings/setting-files.ts";
import { settings, type SettingName } from "../src/settings/settings.ts";

const PROGRAMS: readonly Program[] = ["service", "exchange", "sandbox", "start", "cli"];
/** At least one is valid for each setting, and not its default. */
const SAMPLES: readonly string[] = [
  "true",
  "9",
  "test",
  "debug",
  "203.0.113.7",
  "20000-20999",
  "+12025550142",
  "https://a.example",
  "wss://a.example",
  "smtps://a.example",
  "postgres://a.example/b",
  "turn:a.example:3478",
  "a=http://10.0.0.5:3006",
  "10.0.0.0/16",
  "10.0.0.5:2223",
  "A <a@a.example>",
  "a@a.example",
  "jcb visa",
  "mon-fri 09:00-17:00 Europe/London",
  "a secret of more than thirty-two characters",
];

let folder: string;
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-settings-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(["\n", "\r\n", " ", "\r"])("white space after a value, here %j, does not belong to it", (end) => {
  const env = { STRIPE_SECRET_KEY: `sk_live_x${end}`, TURN_SECRET_FILE: file("ended", `a b${end}${end}`), METRICS_TOKEN: end };
  expect(readEnvironment(env)).toMatchObject({
    env: { STRIPE_SECRET_KEY: "sk_live_x", TURN_SECRET: "a b", METRICS_TOKEN: "" },
    problems: [],
  });
});

test.each([`"a token of sixteen"`, "'a token of sixteen' "])("a value in quotes, here %s, is a problem", (METRICS_TOKEN) => {
  const named = (name: string) => [expect.stringMatching(new RegExp(`^${name}: .*quotes`))];
  expect(readEnvironment({ METRICS_TOKEN }).problems).toEqual(named("METRICS_TOKEN"));
  expect(readEnvironment({ METRICS_TOKEN_FILE: file("quoted", METRICS_TOKEN) }).problems).toEqual(named("METRICS_TOKEN_FILE"));
  expect(readEnvironment({ SELLER_NAME: `The "Example" Ltd`, UNDECLARED: METRICS_TOKEN }).problems).toEqual([]);
});

test("a setting comes from its file, without the line end", () => {
  const { env, problems } = readEnvironment({
    TURN_SECRET_FILE: file("turn", "a b\r\n"),
    LOG_LEVEL: "warn",
    HOME_FILE: "/none",
  });
  expect(problems).toEqual([]);
  expect(env).toMatchObject({ TURN_SECRET: "a b", LOG_LEVEL: "warn" });
  expect(env).not.toHaveProperty("HOME");
});

const readings = PROGRAMS.flatMap((program) => namesReadBy(program).map((name) => ({ program, name })));

test.each(readings)("the $program reads $name from a file as from the environment", ({ program, name }) => {
  const direct = Object.fromEntries(namesReadBy(program).map((one) => [one, sampleOf(one)]));
  const { [name]: value = "", ...others } = direct;
  const read = parseSettings(program, { ...others, [`${name}_FILE`]: file(name, `${value}\n`) });
  expect(read).toEqual(parseSettings(program, direct));
  expect(read).not.toEqual(parseSettings(program, others));
});

function sampleOf(name: SettingName): string {
  const { schema } = settings[name];
  const byDefault = schema.safeParse(undefined).data;
  const found = SAMPLES.find((one) => {
    const { success, data } = schema.safeParse(one);
    return success && !isDeepStrictEqual(data, byDefault);
  });
  if (found === undefined) throw new Error(`No sample is a value of ${name}.`);
  return found;
}

test.each([
  ["a missing file", () => ({ TURN_SECRET_FILE: "/none/such" }), /TURN_SECRET_FILE: ENOENT/],
  ["an empty file", () => ({ TURN_SECRET_FILE: file("empty", "\n") }), /TURN_SECRET_FILE: .*empty is empty/],
  ["a very long file", () => ({ TURN_SECRET_FILE: file("long", "x".repeat(70_000)) }), /longer than any setting/],
  ["a value beside the file", () => ({ TURN_SECRET_FILE: file("both", "x"), TURN_SECRET: "y" }), /TURN_SECRET is set too/],
])("%s is a problem that names the variable", (_name, env, problem) => {
  expect(readEnvironment(env()).problems).toEqual([expect.stringMatching(problem)]);
  expect(parseSettings("service", env())).toEqual({ problems: expect.stringMatching(problem) });
});
