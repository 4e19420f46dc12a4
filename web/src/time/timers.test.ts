import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { after, createPace, every, PACES } from "./timers.ts";

const HOUR_MS = 3_600_000;
/** What an expiry, a Retry-After or a clock that was set may come to. */
const HOSTILE = [
  0,
  -1,
  -HOUR_MS,
  Number.NaN,
  Infinity,
  -Infinity,
  2 ** 31,
  2 ** 53,
  Date.parse("2100-01-01"),
  -Date.parse("2100-01-01"),
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each(Object.entries(PACES))("the pace %s", (_, pace) => {
  test.each(HOSTILE)("keeps its floor with a wait of %d, while the device's clock jumps", async (waitMs) => {
    let runs = 0;
    const repeated = createPace(pace, () => {
      runs += 1;
      vi.setSystemTime(Date.parse(runs % 2 === 0 ? "1970-01-02" : "2100-01-01"));
      repeated.plan(waitMs);
    });
    repeated.plan(waitMs);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(runs).toBeLessThanOrEqual(HOUR_MS / pace.floorMs);
    await vi.advanceTimersByTimeAsync(pace.ceilingMs);
    expect(runs).toBeGreaterThan(0);
    repeated.stop();
  });

  test("runs at once when asked, and again no sooner than its bound however often it is asked", async () => {
    let runs = 0;
    const repeated = createPace(pace, () => (runs += 1));
    for (let asked = 0; asked < 1000; asked += 1) {
      repeated.soon();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(runs).toBeGreaterThan(1);
    expect(runs).toBeLessThanOrEqual(1 + 10_000 / pace.soonMs);
    repeated.stop();
    await vi.advanceTimersByTimeAsync(pace.ceilingMs);
    expect(runs).toBeLessThanOrEqual(1 + 10_000 / pace.soonMs);
  });
});

test.each([Number.NaN, Infinity, 2 ** 31, Date.parse("2100-01-01")])("a delay of %d does not run at once", async (delayMs) => {
  const run = vi.fn<() => void>();
  const stop = after(delayMs, run);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(run).not.toHaveBeenCalled();
  stop();
});

test.each(HOSTILE)("a period of %d runs at most five times a second", async (periodMs) => {
  const run = vi.fn<() => void>();
  const stop = every(periodMs, run);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run.mock.calls.length).toBeLessThanOrEqual(50);
  stop();
});
