import { expect, test } from "vitest";
import { isBlockedDestination, longestCallOf } from "./call-terms.ts";

const at = (dollars: number, firstIntervalSeconds = 1) => ({
  ratePerMinuteMicros: BigInt(Math.round(dollars * 1e6)),
  firstIntervalSeconds,
});

test("a cheap call may last an hour, a dearer one or one to a risky country 20 minutes, the dearest are not open", () => {
  expect(longestCallOf(at(0.15), null)).toBe(3600);
  expect(longestCallOf(at(0.150001), "watch")).toBe(1200);
  expect(longestCallOf(at(0.01), "high")).toBe(1200);
  expect(longestCallOf(at(0.6), null)).toBe(1200);
  expect(longestCallOf(at(0.600001), null)).toBeNull();
});

test("a call is never cut inside its first increment", () => {
  expect(longestCallOf(at(0.5, 1800), null)).toBe(1800);
});

test("numbers that exist to take money are never dialled", () => {
  expect(isBlockedDestination("premium", null)).toBe(true);
  expect(isBlockedDestination("mobile", "block")).toBe(true);
  expect(isBlockedDestination("mobile", "high")).toBe(false);
});
