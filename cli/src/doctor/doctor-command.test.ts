import { Command } from "commander";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { addDoctorCommand } from "./doctor-command.ts";
import { examineSettings } from "./examine-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test("without an installation the command reports a fault, creates nothing, and exits with 2", async () => {
  const directory = join(folder, "none");
  vi.stubEnv("DATA_DIR", directory);
  let said = "";
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    said += String(chunk);
    return true;
  });
  const program = new Command();
  addDoctorCommand(program);
  await program.parseAsync(["doctor"], { from: "user" });
  expect(process.exitCode).toBe(2);
  expect(said).toMatch(/^fault {4}There is no running Farline here: start it with npm start/);
  expect(existsSync(directory)).toBe(false);
});

test("settings are validated by each program's own reader", () => {
  const { findings, service, exchange } = examineSettings({ VOICE_MEDIA_IP: "10.0.0.300" }, "exchange");
  expect(findings).toMatchObject([
    { level: "fault", text: expect.stringMatching(/^The exchange cannot start .*VOICE_MEDIA_IP/) },
  ]);
  expect([service, exchange]).toEqual([null, null]);
});

test.each([
  ["TURN_URLS", "stun:turn.example.com", "must be like turn:turn.example.com:3478?transport=udp"],
  ["TURN_SECRET", "the TURN_SECRET", "must have at least 32 characters"],
])("an invalid %s is reported by name, and without a secret's value", (name, value, sentence) => {
  const { findings } = examineSettings({ [name]: value }, "service");
  const said = findings.map(({ text }) => text).join("\n");
  expect(said).toMatch(new RegExp(`${name}[^;]*: ${sentence.replaceAll(/[?.]/g, "\\$&")}`));
  expect(said).not.toContain(`"${value}"`);
});
