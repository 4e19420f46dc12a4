import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FULL_AT, ProcessLoad, SAMPLE_MS } from "./process-load.ts";

/** A process that works and waits as it is told. */
class Clock {
  nowMs = 1_000;
  idleMs = 500;
  readonly load = new ProcessLoad(this.nowMs, () => this.idleMs);

  work(ms: number): void {
    this.nowMs += ms;
  }

  rest(ms: number): void {
    this.nowMs += ms;
    this.idleMs += ms;
  }

  /** A packet is read in a new turn of the event loop. */
  async read(): Promise<number> {
    await setImmediate();
    return this.load.longestWait(this.nowMs);
  }

  /** Whole tenths of a second in which the process works for this part of the time. */
  samples(count: number, busy: number): void {
    for (let i = 0; i < count; i += 1) {
      this.work(SAMPLE_MS * busy);
      this.rest(SAMPLE_MS * (1 - busy));
      this.load.sample(this.nowMs);
    }
  }
}

test("a packet has waited no longer than the process has worked since it last read", async () => {
  const clock = new Clock();
  await clock.read();
  clock.rest(15);
  clock.work(5);
  expect(await clock.read()).toBe(5);
  clock.work(150);
  expect(await clock.read()).toBe(150);
  clock.work(30); // the same turn goes on: what it still reads came in the turn before, too
  expect(clock.load.longestWait(clock.nowMs)).toBe(180);
});

test("a short burst of work does not make it full, a lasting one does", () => {
  const clock = new Clock();
  clock.samples(20, 0.2);
  clock.samples(9, 1);
  expect(clock.load.isFull(50, FULL_AT)).toBe(false);
  clock.samples(5, 1);
  expect(clock.load.isFull(50, FULL_AT)).toBe(true);
  expect(clock.load.isFull(FULL_AT.legs - 1, FULL_AT)).toBe(false);
  clock.samples(20, 0.2);
  expect(clock.load.isFull(50, FULL_AT)).toBe(false);
});

test("packets that wait make it full, whether it works or gets no time to", async () => {
  const waiting = new Clock();
  const starved = new Clock();
  for (let i = 0; i < 20; i += 1) {
    await waiting.read();
    waiting.work(12);
    await waiting.read();
    waiting.samples(1, 0);
    starved.rest(SAMPLE_MS + 15);
    starved.load.sample(starved.nowMs);
  }
  expect(waiting.load.figures).toMatchObject({ waitMs: 12 });
  expect([waiting.load.isFull(50, FULL_AT), starved.load.isFull(50, FULL_AT)]).toEqual([true, true]);
});
