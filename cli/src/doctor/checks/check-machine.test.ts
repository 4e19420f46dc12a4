import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { kernelSettings, checkDisk, checkKernel } from "./check-machine.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a full or missing folder is a fault", async () => {
  expect(await checkDisk([folder], 0)).toMatchObject([{ text: expect.stringMatching(/ has \d+ MiB left/) }]);
  expect(await checkDisk([folder], Infinity)).toMatchObject([
    { level: "fault", text: expect.stringContaining("MiB left: the programs") },
  ]);
  expect(await checkDisk([join(folder, "gone")])).toMatchObject([
    { level: "fault", text: expect.stringContaining("cannot be written: ENOENT") },
  ]);
});

test("scheduler autogroups are a warning", () => {
  const root = join(folder, "sys");
  const write = (name: string, value: string) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), `${value}\n`);
  };
  expect(checkKernel(kernelSettings(root))).toMatchObject({ level: "ok" });
  write("kernel/sched_autogroup_enabled", "1");
  expect(checkKernel(kernelSettings(root))).toMatchObject({
    level: "warning",
    text: expect.stringContaining("sched_autogroup_enabled is 1"),
  });
  write("kernel/sched_autogroup_enabled", "0");
  expect(checkKernel(kernelSettings(root))).toMatchObject({ level: "ok" });
});
