import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPhoneNetwork, type PhoneNetwork } from "./phone-network.ts";

const run = promisify(execFile);
const CALLS = 40;

function hasSipp(): boolean {
  try {
    execFileSync("sipp", ["-v"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT"; // sipp -v exits with a non-zero status
  }
}

describe.skipIf(!hasSipp())("SIPp's built-in caller (Debian package sip-tester)", () => {
  let network: PhoneNetwork;
  let folder: string;

  beforeEach(async () => {
    network = await startPhoneNetwork({ log: pino({ level: "silent" }), sipPort: 0, ringMs: 100 });
    folder = await mkdtemp(join(tmpdir(), "farline-sipp-"));
  });
  afterEach(async () => {
    await network.close();
    await rm(folder, { recursive: true });
  });

  async function callBySipp(number: string): Promise<{ stdout: string }> {
    const target = [`127.0.0.1:${network.sipPort}`, "-s", number, "-i", "127.0.0.1", "-p", "0"];
    const load = ["-m", String(CALLS), "-r", "40", "-d", "100", "-timeout", "240", "-timeout_error", "-nostdin"];
    return run("sipp", ["-sn", "uac", ...target, ...load], { cwd: folder });
  }

  it.each(["442079460002", "33612345678"])("completes every call to %s", async (number) => {
    await callBySipp(number); // rejects if any call fails
    const ended = { state: "ended", endedBy: "caller", sipStatus: 200 };
    // SIPp takes a repeated answer for the response to its BYE, and may exit before that is read.
    await expect.poll(() => network.calls({ limit: 200 })).toMatchObject(Array.from({ length: CALLS }, () => ended));
  });

  it("receives 486 from a busy number", async () => {
    await expect(callBySipp("442079460486")).rejects.toThrow();
    expect(network.calls({ limit: 200 }).every((call) => call.sipStatus === 486)).toBe(true);
  });
});
