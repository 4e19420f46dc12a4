import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Distribution of answered calls' lengths, in percent. Long increments make short calls expensive. */
const TYPICAL_CALLS: readonly (readonly [seconds: number, percent: bigint])[] = [
  [10, 10n],
  [30, 15n],
  [60, 20n],
  [180, 30n],
  [600, 25n],
];

/** The cost of a hundred typical calls at a rate, in sixtieths of a micro-dollar. Only for comparing rates. */
export function typicalCost(rate: BillingRate): bigint {
  return TYPICAL_CALLS.reduce(
    (sum, [seconds, percent]) => sum + rate.ratePerMinuteMicros * BigInt(billedSeconds(seconds, rate)) * percent,
    0n,
  );
}

/** What remains of a typical call's price after its cost, in percent with one decimal; 0 without a price. */
export function typicalMargin(price: BillingRate, cost: BillingRate): number {
  const sold = typicalCost(price);
  return sold === 0n ? 0 : Number(((sold - typicalCost(cost)) * 1_000n) / sold) / 10;
}
