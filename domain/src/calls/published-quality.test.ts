import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CALLS_PER_CUSTOMER, MIN_CALLS, publishQuality, type MeasuredQuality } from "./published-quality.ts";

const MEASURED: MeasuredQuality = {
  ...{ calls: 412, answered: 301, delayed: 350, medianDelayMs: 3_180, p95DelayMs: 9_910 },
  ...{ scored: 280, medianMos: 4.267 },
};

test("figures are rounded, and the number of calls is a band", () => {
  expect(publishQuality(MEASURED)).toEqual({
    ...{ callsAtLeast: 300, answeredPercent: 75, medianDelaySeconds: 3, p95DelaySeconds: 10, medianMos: 4.3 },
  });
});

test.each([
  [100, 100],
  [299, 100],
  [300, 300],
  [1_000, 1_000],
  [5_000_000, 1_000],
])("%i calls are published as %i or more", (calls, callsAtLeast) => {
  expect(publishQuality({ ...MEASURED, calls })).toMatchObject({ callsAtLeast });
});

test("too few calls publish nothing, and too few measurements hide their figure alone", () => {
  expect(publishQuality({ ...MEASURED, calls: MIN_CALLS - 1 })).toBeNull();
  expect(publishQuality({ ...MEASURED, delayed: 99, scored: 99 })).toMatchObject({
    ...{ answeredPercent: 75, medianDelaySeconds: null, p95DelaySeconds: null, medianMos: null },
  });
  expect(publishQuality({ ...MEASURED, medianMos: null })).toMatchObject({ medianMos: null });
});

test("one customer moves the answer rate by one step at most", () => {
  const counts = fc
    .tuple(fc.integer({ min: MIN_CALLS, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([calls, share]) => ({ calls, answered: Math.floor(share * calls) }));
  fc.assert(
    fc.property(counts, ({ calls, answered }) => {
      const before = publishQuality({ ...MEASURED, calls, answered })?.answeredPercent ?? 0;
      // All their calls, which were unanswered, replaced by answered ones.
      const swapped = Math.min(calls, answered + MAX_CALLS_PER_CUSTOMER);
      const after = publishQuality({ ...MEASURED, calls, answered: swapped })?.answeredPercent ?? 0;
      expect(after - before).toBeLessThanOrEqual(5);
    }),
  );
});
