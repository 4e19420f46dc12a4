import { expect, test } from "vitest";
import { typicalCost } from "./typical-cost.ts";

const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds: number, nextIntervalSeconds: number) => ({
  ratePerMinuteMicros,
  firstIntervalSeconds,
  nextIntervalSeconds,
});

test("a lower price per minute may have a higher typical cost, because of its increments", () => {
  expect(typicalCost(rate(10_000n, 60, 60))).toBeGreaterThan(typicalCost(rate(10_200n, 1, 1)));
  expect(typicalCost(rate(10_000n, 60, 60))).toBeLessThan(typicalCost(rate(11_000n, 1, 1)));
  expect(typicalCost(rate(10_000n, 1, 1))).toBeLessThan(typicalCost(rate(10_001n, 1, 1)));
});
