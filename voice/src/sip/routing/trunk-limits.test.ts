import { expect, it } from "vitest";
import { TrunkLimits } from "./trunk-limits.ts";

it("a trunk has at most so many calls at a time", () => {
  const limits = new TrunkLimits({ maxCalls: 2 }, () => 0);
  expect([limits.take(), limits.take(), limits.take()]).toEqual([true, true, false]);
  limits.release();
  expect([limits.take(), limits.take()]).toEqual([true, false]);
});

it("and at most so many new ones in any second, however the seconds are cut", () => {
  let now = 0;
  const limits = new TrunkLimits({ callsPerSecond: 3 }, () => now);
  const begun: number[] = [];
  for (now = 0; now < 5_000; now += 100) if (limits.take()) begun.push(now);
  expect(begun).toHaveLength(15);
  for (const at of begun) expect(begun.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(3);
});

it("without limits it takes every call", () => {
  const limits = new TrunkLimits({}, () => 0);
  expect(Array.from({ length: 1_000 }, () => limits.take())).not.toContain(false);
});
