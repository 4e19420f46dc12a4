import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Lengths of answered calls, and how many of a hundred are so long. Long blocks make short calls expensive. */
const TYPICAL_CALLS: readonly (readonly [seconds: number, percent: bigint])[] = [
  [10, 10n],
  [30, 15n],
  [60, 20n],
  [180, 30n],
  [600, 25n],
];

/** What a hundred typical calls cost at a rate, in sixtieths of a micro-dollar: only for comparisons of one rate with another. */
export function typicalCost(rate: BillingRate): bigint {
  return TYPICAL_CALLS.reduce(
    (sum, [seconds, percent]) => sum + rate.ratePerMinuteMicros * BigInt(billedSeconds(seconds, rate)) * percent,
    0n,
  );
}
