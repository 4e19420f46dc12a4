import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billedSeconds, chargeFor, type BillingRate } from "../calls/charge.ts";
import { costsNoMore, keepsMargin, LEAST_MARGIN_PERCENT, saleIntervals } from "./sale-terms.ts";

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

/** Every length up to six hours, before either side is rounded. */
function keepsMarginSecondBySecond(sale: BillingRate, cost: BillingRate): boolean {
  for (let second = 1; second <= 6 * HOUR_SECONDS; second++) {
    const sold = sale.ratePerMinuteMicros * BigInt(billedSeconds(second, sale)) * (100n - LEAST_MARGIN_PERCENT);
    if (sold < cost.ratePerMinuteMicros * BigInt(billedSeconds(second, cost)) * 100n) return false;
  }
  return true;
}

test("the margin holds for every length exactly when the blocks that repeat hold it", () => {
  fc.assert(
    fc.property(rates, rates, (sale, cost) => {
      expect(keepsMargin(sale, cost)).toBe(keepsMarginSecondBySecond(sale, cost));
    }),
    { numRuns: 150 },
  );
});

test("no call of an hour or less is charged less than it costs, whatever the carrier's price and blocks", () => {
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

test("a rate costs no more than another exactly when no call up to six hours is charged more", () => {
  const isChargedMore = (real: BillingRate, shown: BillingRate) => {
    for (let second = 1; second <= 6 * HOUR_SECONDS; second++)
      if (chargeFor(second, real) > chargeFor(second, shown)) return true;
    return false;
  };
  const near = fc.constantFrom(10_000n, 10_001n, 11_000n, 20_000n);
  const priced = fc.tuple(near, intervals, intervals).map(([micros, first, next]) => rate(micros, first, next));
  fc.assert(
    fc.property(priced, priced, (real, shown) => {
      expect(costsNoMore(real, shown)).toBe(!isChargedMore(real, shown));
    }),
    { numRuns: 60 },
  );
});

test("a loss that shows only where the blocks of both meet is found", () => {
  expect(keepsMargin(rate(1_050n, 30, 6), rate(950n, 1, 5))).toBe(false);
});

describe("the blocks a price is sold in", () => {
  test.each([
    ["by the second from a carrier that does", 14_000n, rate(10_000n, 1, 1), [1, 1]],
    ["by the second where six of them pay a whole block", 64_000n, rate(10_000n, 6, 6), [1, 1]],
    ["by the second after a least charge", 10_000n, rate(4_500n, 6, 6), [6, 1]],
    ["in the carrier's fine blocks when nothing less pays", 38_000n, rate(26_900n, 6, 6), [6, 6]],
    ["in the carrier's", 20_000n, rate(10_000n, 30, 6), [30, 6]],
    ["in the carrier's, however much is earned", 900_000n, rate(10_000n, 60, 60), [60, 60]],
    ["in the carrier's, where only the first is long", 20_000n, rate(10_000n, 60, 1), [60, 1]],
  ])("%s", (_name, price, cost, [first, next]) => {
    expect(saleIntervals(price, cost)).toEqual({ firstIntervalSeconds: first, nextIntervalSeconds: next });
  });

  test("a price without the margin keeps none in any blocks", () => {
    expect(keepsMargin(rate(10_000n, 60, 60), rate(9_501n, 60, 60))).toBe(false);
    expect(keepsMargin(rate(10_000n, 60, 60), rate(9_500n, 60, 60))).toBe(true);
    expect(keepsMargin(rate(498_000n, 1, 1), rate(355_000n, 60, 60))).toBe(false);
  });
});
