import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billedSeconds, chargeFor, type BillingRate } from "../calls/charge.ts";
import { costsNoMore, keepsMargin, MIN_MARGIN_PERCENT, saleIntervals } from "./sale-terms.ts";

const HOUR_SECONDS = 3_600;
const rate = (ratePerMinuteMicros: bigint, firstIntervalSeconds: number, nextIntervalSeconds: number): BillingRate => ({
  ratePerMinuteMicros,
  firstIntervalSeconds,
  nextIntervalSeconds,
});
const intervals = fc.constantFrom(1, 2, 3, 5, 6, 7, 12, 30, 45, 60, 90);
const rates = fc
  .tuple(fc.bigInt({ min: 0n, max: 2_000n }), intervals, intervals)
  .map(([micros, first, next]) => rate(micros, first, next));

/** Every length up to six hours. */
function keepsMarginSecondBySecond(sale: BillingRate, cost: BillingRate): boolean {
  for (let second = 1; second <= 6 * HOUR_SECONDS; second++) {
    const sold = sale.ratePerMinuteMicros * BigInt(billedSeconds(second, sale)) * (100n - MIN_MARGIN_PERCENT);
    if (sold < cost.ratePerMinuteMicros * BigInt(billedSeconds(second, cost)) * 100n) return false;
  }
  return true;
}

test("the margin check agrees with checking every call length", () => {
  fc.assert(
    fc.property(rates, rates, (sale, cost) => {
      expect(keepsMargin(sale, cost)).toBe(keepsMarginSecondBySecond(sale, cost));
    }),
    { numRuns: 150 },
  );
});

test("no call up to an hour is sold below cost, whatever the carrier's price and increments", () => {
  const costs = fc.tuple(fc.bigInt({ min: 1n, max: 3_000_000n }), intervals, intervals);
  const lengths = fc.integer({ min: 1, max: HOUR_SECONDS });
  fc.assert(
    fc.property(costs, fc.bigInt({ min: 0n, max: 20_000n }), lengths, ([micros, first, next], extra, seconds) => {
      const cost = rate(micros, first, next);
      const price = (micros * 100n + 94n) / 95n + extra;
      const sale = { ratePerMinuteMicros: price, ...saleIntervals(price, cost) };
      expect(keepsMargin(sale, cost)).toBe(true);
      expect(chargeFor(seconds, sale)).toBeGreaterThanOrEqual(chargeFor(seconds, cost));
    }),
    { numRuns: 2_000 },
  );
});

test("one rate costs no more than another exactly if no call up to six hours costs more", () => {
  const exact = (seconds: number, by: BillingRate) => by.ratePerMinuteMicros * BigInt(billedSeconds(seconds, by));
  const isMore = (chargeBy: typeof chargeFor, real: BillingRate, shown: BillingRate) => {
    for (let second = 1; second <= 6 * HOUR_SECONDS; second++) if (chargeBy(second, real) > chargeBy(second, shown)) return true;
    return false;
  };
  const near = fc.constantFrom(10_000n, 10_001n, 11_000n, 20_000n);
  const priced = fc.tuple(near, intervals, intervals).map(([micros, first, next]) => rate(micros, first, next));
  fc.assert(
    fc.property(priced, priced, (real, shown) => {
      const noMore = costsNoMore(real, shown);
      expect(noMore).toBe(!isMore(exact, real, shown));
      // Rounding to micro-dollars may hide a difference, but never adds one.
      if (noMore) expect(isMore(chargeFor, real, shown)).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test("a loss that occurs only at certain combinations of both increments is found", () => {
  expect(keepsMargin(rate(1_050n, 30, 6), rate(950n, 1, 5))).toBe(false);
});

describe("the sale increments", () => {
  test.each([
    ["seconds if the carrier bills by the second", 14_000n, rate(10_000n, 1, 1), [1, 1]],
    ["seconds if they cover the carrier's short increments", 64_000n, rate(10_000n, 6, 6), [1, 1]],
    ["seconds after a first increment, if seconds alone do not cover the cost", 10_000n, rate(4_500n, 6, 6), [6, 1]],
    ["the carrier's short increments, if nothing else covers the cost", 38_000n, rate(26_900n, 6, 6), [6, 6]],
    ["the carrier's", 20_000n, rate(10_000n, 30, 6), [30, 6]],
    ["the carrier's, however high the margin", 900_000n, rate(10_000n, 60, 60), [60, 60]],
    ["the carrier's, if only the first increment is long", 20_000n, rate(10_000n, 60, 1), [60, 1]],
  ])("are %s", (_name, price, cost, [first, next]) => {
    expect(saleIntervals(price, cost)).toEqual({ firstIntervalSeconds: first, nextIntervalSeconds: next });
  });

  test("are the carrier's if the price has too little margin in any increments", () => {
    expect(keepsMargin(rate(10_000n, 60, 60), rate(9_501n, 60, 60))).toBe(false);
    expect(keepsMargin(rate(10_000n, 60, 60), rate(9_500n, 60, 60))).toBe(true);
    expect(keepsMargin(rate(498_000n, 1, 1), rate(355_000n, 60, 60))).toBe(false);
  });
});
