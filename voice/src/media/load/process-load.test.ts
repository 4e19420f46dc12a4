import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FULL_AT, ProcessLoad, SAMPLE_MS } from "./process-load.ts";

/** A simulated process. */
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

  /** Reads a packet in a new turn of the event loop. */
  async read(): Promise<number> {
    await setImmediate();
    return this.load.longestWait(this.nowMs);
  }

  /** Simulates tenths of a second in which the process is busy for this part of the time. */
  samples(count: number, busy: number): void {
    for (let i = 0; i < count; i += 1) {
      this.work(SAMPLE_MS * busy);
      this.rest(SAMPLE_MS * (1 - busy));
      this.load.sample(this.nowMs);
    }
  }
}

test("a packet has waited at most as long as the process was busy since the last read", async () => {
  const clock = new Clock();
  await clock.read();
  clock.rest(15);
  clock.work(5);
  expect(await clock.read()).toBe(5);
  clock.work(150);
  expect(await clock.read()).toBe(150);
  clock.work(30); // still the same turn: packets read now may have arrived in the previous turn
  expect(clock.load.longestWait(clock.nowMs)).toBe(180);
});

test("lasting load makes the process full, but a short burst does not", () => {
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

test("waiting packets make the process full, whether it is busy or gets no CPU time", async () => {
  const waiting = new Clock();
  const starved = new Clock();
  for (let i = 0; i < 20; i += 1) {
    await waiting.read();
    waiting.work(22);
    await waiting.read();
    waiting.samples(1, 0);
    starved.rest(SAMPLE_MS + 25);
    starved.load.sample(starved.nowMs);
  }
  expect(waiting.load.metrics).toMatchObject({ waitMs: 22 });
  expect([waiting.load.isFull(50, FULL_AT), starved.load.isFull(50, FULL_AT)]).toEqual([true, true]);
});
