import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "../../test/scripted-ports.ts";
import type { WebhookEvent } from "../control/webhook-events.ts";
import { EventLog } from "./event-log.ts";

const BEGIN = new Date("2026-11-26T18:59:00.000Z");
const MINUTE_MS = 60_000;

let folder: string;
let log: EventLog;
beforeEach(() => {
  vi.useFakeTimers({ now: BEGIN, toFake: ["Date"] });
  folder = mkdtempSync(join(tmpdir(), "farline-events-"));
  log = new EventLog(folder, silentLog);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function record(id: string, more: Record<string, unknown> = {}): void {
  const occurred_at = new Date().toISOString();
  log.record({ record_type: "event", event_type: "call.hangup", id, occurred_at, payload: more } satisfies WebhookEvent);
}

function passMinutes(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
}

async function pages(since: Date): Promise<string[][]> {
  const read: string[][] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<EventLog["page"]>> = await log.page(after, since);
    read.push(page.events.map(({ id }) => id));
    after = page.after;
  } while (after !== null);
  return read;
}

test("events are read in order, across hours, since a moment", async () => {
  record("1");
  passMinutes(2);
  record("2");
  record("3");
  expect(await pages(BEGIN)).toEqual([["1"], ["2", "3"]]);
  expect(await pages(new Date(BEGIN.getTime() + 1))).toEqual([[], ["2", "3"]]);
  expect(await pages(new Date(BEGIN.getTime() + 3 * MINUTE_MS))).toEqual([[]]);
});

test("many events come in several pages, none lost and none twice", async () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => String(index));
  for (const id of ids) record(id, { text: "é".repeat(500) });
  const read = await pages(BEGIN);
  expect(read.length).toBeGreaterThan(2);
  expect(read.flat()).toEqual(ids);
});

test("events older than a day are deleted", async () => {
  record("old");
  passMinutes(25 * 60);
  record("new");
  expect(await pages(new Date(0))).toEqual([["new"]]);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("a part of a line that a killed process has left loses no other event", async () => {
  record("1");
  appendFileSync(join(folder, "2026-11-26T18.jsonl"), '{"record_type":"ev');
  log = new EventLog(folder, silentLog);
  record("2");
  expect(await pages(BEGIN)).toEqual([["1", "2"]]);
});

test("a folder that cannot be written ends no call", async () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  record("1");
  log = new EventLog(folder, silentLog);
  expect(await pages(BEGIN)).toEqual([[]]);
});
