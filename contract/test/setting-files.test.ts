import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettings } from "../src/settings/read-settings.ts";
import { readSettingFiles } from "../src/settings/setting-files.ts";

let folder: string;
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-settings-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a setting comes from its file, without the line end", () => {
  const { env, problems } = readSettingFiles({
    TURN_SECRET_FILE: file("turn", "a b\r\n"),
    LOG_LEVEL: "warn",
    HOME_FILE: "/none",
  });
  expect(problems).toEqual([]);
  expect(env).toMatchObject({ TURN_SECRET: "a b", LOG_LEVEL: "warn" });
  expect(env).not.toHaveProperty("HOME");
});

test.each([
  ["a missing file", () => ({ TURN_SECRET_FILE: "/none/such" }), /TURN_SECRET_FILE: ENOENT/],
  ["an empty file", () => ({ TURN_SECRET_FILE: file("empty", "\n") }), /TURN_SECRET_FILE: .*empty is empty/],
  ["a very long file", () => ({ TURN_SECRET_FILE: file("long", "x".repeat(70_000)) }), /longer than any setting/],
  ["a value beside the file", () => ({ TURN_SECRET_FILE: file("both", "x"), TURN_SECRET: "y" }), /TURN_SECRET is set too/],
])("%s is a problem that names the variable", (_name, env, problem) => {
  expect(readSettingFiles(env()).problems).toEqual([expect.stringMatching(problem)]);
  expect(parseSettings("service", env())).toEqual({ problems: expect.stringMatching(problem) });
});
