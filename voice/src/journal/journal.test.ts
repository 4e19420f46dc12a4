import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLeg } from "../calls/call-leg.ts";
import type { WebhookEvent } from "../control/webhook-events.ts";
import { silentLog } from "../../test/scripted-ports.ts";
import { ALIVE_INTERVAL_MS, Journal } from "./journal.ts";

/** Whether the disk takes nothing. */
let full = false;
const disk = {
  writeSync: (file: number, text: string) => refuseIfFull() ?? writeSync(file, text),
  writeFileSync: (path: string, text: string, options: { mode: number }) => refuseIfFull() ?? writeFileSync(path, text, options),
};
function refuseIfFull(): undefined {
  if (full) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-journal-"));
  path = join(folder, "exchange.journal");
  vi.useFakeTimers();
});
afterEach(() => {
  full = false;
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const aLeg = () =>
  createLeg({
    startedAt: new Date(),
    node: "a",
    side: "far",
    connectionId: "1",
    from: "+12025550143",
    to: "+442079460000",
    callerName: null,
    username: "user",
    customHeaders: [],
    clientState: null,
    state: "bridging",
  });
const anEvent = (id: string): WebhookEvent => ({
  record_type: "event",
  event_type: "call.hangup",
  id,
  occurred_at: new Date().toISOString(),
  payload: {},
});

describe("the journal", () => {
  test("returns live legs and undelivered events to the next process", () => {
    const first = new Journal(path, silentLog);
    const [lives, ended] = [aLeg(), aLeg()];
    first.recordLeg(lives);
    first.recordLeg(ended);
    const cost = { ratePerMinuteMicros: 12_000n, firstIntervalSeconds: 60, nextIntervalSeconds: 1 };
    Object.assign(lives, { answeredAt: new Date(), dialog: "dialog", cost });
    first.recordLeg(lives);
    first.removeLeg(ended.controlId);
    for (const id of ["1", "2", "3"]) first.recordEvent(anEvent(id));
    first.recordEvent(anEvent("1"));
    first.removeEvent("2");
    const { crashState } = new Journal(path, silentLog);
    expect(crashState.legs).toEqual([lives]);
    expect(crashState.events.map(({ id }) => id)).toEqual(["1", "3"]);
    expect(new Journal(path, silentLog).crashState.legs).toEqual([lives]);
  });

  test("records a sign of life every ten seconds while there is a call", () => {
    const journal = new Journal(path, silentLog);
    const leg = aLeg();
    journal.recordLeg(leg);
    vi.advanceTimersByTime(ALIVE_INTERVAL_MS * 3);
    const alive = new Date().toISOString();
    vi.advanceTimersByTime(ALIVE_INTERVAL_MS - 1);
    expect(readFileSync(path, "utf8").trim().split("\n").at(-1)).toBe(JSON.stringify({ is: "alive", at: alive }));
    journal.removeLeg(leg.controlId);
    const { length } = readFileSync(path);
    vi.advanceTimersByTime(ALIVE_INTERVAL_MS * 10);
    journal.close();
    expect(readFileSync(path).length).toBe(length);
    expect(new Journal(path, silentLog).crashState.aliveAt.toISOString()).toBe(alive);
  });

  test("is readable although its last line is incomplete", () => {
    const first = new Journal(path, silentLog);
    const leg = aLeg();
    first.recordLeg(leg);
    appendFileSync(path, '{"is":"leg","leg":{"contr');
    expect(new Journal(path, silentLog).crashState.legs).toEqual([leg]);
    writeFileSync(path, "\0\0rubbish\n\n{}\n");
    expect(new Journal(path, silentLog).crashState).toMatchObject({ legs: [], events: [] });
  });

  test("is compacted", () => {
    const journal = new Journal(path, silentLog);
    for (let count = 0; count < 30_000; count += 1) {
      const event = anEvent(String(count));
      journal.recordEvent(event);
      journal.removeEvent(event.id);
    }
    expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(20_010);
    expect(new Journal(path, silentLog).crashState.events).toEqual([]);
  });

  test("on a full disk says so, starts nevertheless with what is there, and writes everything when there is room", () => {
    const first = new Journal(path, silentLog, disk);
    const [before, during] = [aLeg(), aLeg()];
    first.recordLeg(before);
    full = true;
    first.recordLeg(during);
    expect(first.failure).toEqual({ code: "ENOSPC", since: new Date().toISOString() });
    first.close();

    const second = new Journal(path, silentLog, disk);
    expect(second.failure).toMatchObject({ code: "ENOSPC" });
    expect(second.crashState.legs).toEqual([before]);
    expect(existsSync(`${path}.next`)).toBe(false);
    second.recordLeg(during);
    vi.advanceTimersByTime(5_000);
    expect(second.failure).not.toBeNull();
    full = false;
    vi.advanceTimersByTime(1_000);
    expect(second.failure).toBeNull();
    expect(new Journal(path, silentLog, disk).crashState.legs).toEqual([before, during]);
  });

  test("stores nothing without a file", () => {
    const journal = new Journal(null, silentLog);
    journal.recordLeg(aLeg());
    journal.close();
    expect(new Journal(null, silentLog).crashState.legs).toEqual([]);
  });
});
