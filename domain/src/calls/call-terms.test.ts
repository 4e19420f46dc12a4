import { describe, expect, test } from "vitest";
import { isBlockedDestination, longestCallOf, priceClassOf } from "./call-terms.ts";
import type { RiskTier } from "./risk-tier.ts";

const at = (dollars: number, firstIntervalSeconds = 1) => ({
  ratePerMinuteMicros: BigInt(Math.round(dollars * 1e6)),
  firstIntervalSeconds,
});

test("the price class follows from the price, and a high-risk range is never class A", () => {
  const classOf = (dollars: number, risk: Parameters<typeof priceClassOf>[1] = null) =>
    priceClassOf(at(dollars).ratePerMinuteMicros, risk);
  expect([classOf(0.15), classOf(0.150001), classOf(0.6), classOf(0.600001)]).toEqual(["A", "B", "B", "C"]);
  expect([classOf(0.01, "watch"), classOf(0.01, "high"), classOf(0.7, "high")]).toEqual(["A", "B", "C"]);
  expect(classOf(0.01, "block")).toBe("B");
});

describe("the longest call in minutes", () => {
  test.each<[RiskTier, number, number | null]>([
    ["unverified", 0.15, 60],
    ["unverified", 0.150001, null],
    ["new", 0.15, 60],
    ["new", 0.150001, 20],
    ["new", 0.6, 20],
    ["new", 0.600001, null],
    ["known", 0.15, 120],
    ["known", 0.6, 60],
    ["known", 1, 15],
    ["known", 1.000001, null],
    ["trusted", 0.15, 240],
    ["trusted", 0.6, 120],
    ["trusted", 2.5, 30],
    ["trusted", 2.500001, null],
  ])("for tier %s at $%s per minute is %s", (tier, dollars, minutes) => {
    expect(longestCallOf(at(dollars), null, tier)).toBe(minutes === null ? null : minutes * 60);
  });

  test("to a high-risk range is that of class B, however cheap", () => {
    expect(longestCallOf(at(0.01), "high", "unverified")).toBeNull();
    expect(longestCallOf(at(0.01), "high", "new")).toBe(1200);
  });
});

test("the longest call is at least the first increment", () => {
  expect(longestCallOf(at(0.5, 1800), null, "new")).toBe(1800);
});

test("premium and other numbers that exist to charge callers are blocked", () => {
  expect(isBlockedDestination("premium", null)).toBe(true);
  expect(isBlockedDestination("mobile", "block")).toBe(true);
  expect(isBlockedDestination("mobile", "high")).toBe(false);
});
