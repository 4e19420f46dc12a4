import { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Part } from "./part.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-part-"));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test("a program that serves on for its notice is killed only when it takes longer than that to stop", async () => {
  const script = join(folder, "program.mjs");
  writeFileSync(
    script,
    `process.on("SIGTERM", () => {}); process.on("disconnect", () => process.exit()); process.send({ ready: true });`,
  );
  const part = new Part({ name: "service", script, env: { STOP_NOTICE_SECONDS: "30" } }, () => {});
  await part.start();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const kill = vi.spyOn(ChildProcess.prototype, "kill");
  const signals = () => kill.mock.calls.map(([signal]) => signal);
  const stopped = part.stop();
  await vi.advanceTimersByTimeAsync(37_000);
  expect(signals()).toEqual(["SIGTERM"]);
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  expect(signals()).toEqual(["SIGTERM", "SIGKILL"]);
});
