import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { envFileWarnings } from "./env-file.ts";
import { SettingsError } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

function envFile(text: string): string {
  const file = join(folder, ".env");
  writeFileSync(file, text);
  return file;
}

test("a name in an environment file that no program reads is reported", () => {
  const read =
    "PORT=4000\r\nexport MAX_CALLS=5 # five\r\n#MAX_CAL=1\r\nSMTP_URL_FILE=/run/smtp\r\nTZ=UTC\r\nHTTPS_PROXY=http://proxy\r\n";
  expect(envFileWarnings(envFile(read))).toEqual([]);
  expect(envFileWarnings(envFile(`${read}MAX_CALL=5\nport=4000\n`))).toEqual([
    expect.stringContaining("sets MAX_CALL, which is not a setting") as string,
    expect.stringContaining("sets port, which is not a setting") as string,
  ]);
});

test("a value that its # cuts off is reported", () => {
  const whole = `TURN_SECRET="a#b"\nSTRIPE_SECRET_KEY='a#b'\nPORT=4000 # a#b\n# MAIL_FROM=a#b\nMAX_CALLS=5\n#b\n`;
  expect(envFileWarnings(envFile(whole))).toEqual([]);
  expect(envFileWarnings(envFile(`${whole}METRICS_TOKEN=a#b\nexport SELLER_NAME = Calls a#b # c\n`))).toEqual([
    expect.stringContaining("METRICS_TOKEN only up to its #") as string,
    expect.stringContaining("SELLER_NAME only up to its #") as string,
  ]);
});

test("an environment file whose first setting a byte order mark hides is refused", () => {
  expect(() => envFileWarnings(envFile("\uFEFFPORT=4000\n"))).toThrow(SettingsError);
});

test("an installation needs no environment file", () => {
  expect(envFileWarnings(join(folder, "none"))).toEqual([]);
});
