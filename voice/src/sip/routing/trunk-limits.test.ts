import { expect, it } from "vitest";
import { TrunkLimits } from "./trunk-limits.ts";

it("a trunk has at most maxCalls concurrent calls", () => {
  const limits = new TrunkLimits(() => 0);
  const take = () => limits.take({ maxCalls: 2 });
  expect([take(), take(), take()]).toEqual([true, true, false]);
  limits.release();
  expect([take(), take()]).toEqual([true, false]);
});

it("a trunk starts at most callsPerSecond calls in any window of one second", () => {
  let now = 0;
  const limits = new TrunkLimits(() => now);
  const begun: number[] = [];
  for (now = 0; now < 5_000; now += 100) if (limits.take({ callsPerSecond: 3 })) begun.push(now);
  expect(begun).toHaveLength(15);
  for (const at of begun) expect(begun.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(3);
});

it("a trunk without limits takes every call", () => {
  const limits = new TrunkLimits(() => 0);
  expect(Array.from({ length: 1_000 }, () => limits.take({}))).not.toContain(false);
});
