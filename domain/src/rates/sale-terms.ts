import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Minimum margin in percent of the sale: calls that leave less are not sold. */
export const LEAST_MARGIN_PERCENT = 5n;
/** Destinations whose carrier charges in longer increments are sold in the carrier's increments. */
const FINE_INTERVAL_SECONDS = 6;

type Intervals = Pick<BillingRate, "firstIntervalSeconds" | "nextIntervalSeconds">;

/** Whether a call of every length sells for its cost and the margin. */
export function keepsMargin(sale: BillingRate, cost: BillingRate): boolean {
  return coversEveryLength(sale, cost, 100n - LEAST_MARGIN_PERCENT);
}

/** Whether no call of any length is charged more by `rate` than by `shown`. */
export function costsNoMore(rate: BillingRate, shown: BillingRate): boolean {
  return coversEveryLength(shown, rate, 100n);
}

/**
 * Whether this share of what a call sells for covers its cost, at every length. The sale is worst in the first second of a
 * block of the cost. A price per minute below cost already loses in the sale's first block, so after one common period nothing
 * new comes.
 */
function coversEveryLength(sale: BillingRate, cost: BillingRate, percent: bigint): boolean {
  const period = leastCommonMultiple(sale.nextIntervalSeconds, cost.nextIntervalSeconds);
  const last = Math.max(sale.firstIntervalSeconds, cost.firstIntervalSeconds) + period;
  for (let second = 1; second <= last; second = billedSeconds(second, cost) + 1)
    if (
      sale.ratePerMinuteMicros * BigInt(billedSeconds(second, sale)) * percent <
      cost.ratePerMinuteMicros * BigInt(billedSeconds(second, cost)) * 100n
    )
      return false;
  return true;
}

/**
 * The blocks a price is sold in: by the second where the carrier's are fine, else the carrier's own. Where seconds would
 * sell a fine block below its cost, its first block is the least charge, or all its blocks are kept.
 */
export function saleIntervals(ratePerMinuteMicros: bigint, cost: BillingRate): Intervals {
  const own = { firstIntervalSeconds: cost.firstIntervalSeconds, nextIntervalSeconds: cost.nextIntervalSeconds };
  if (Math.max(own.firstIntervalSeconds, own.nextIntervalSeconds) > FINE_INTERVAL_SECONDS) return own;
  const finer = [
    { firstIntervalSeconds: 1, nextIntervalSeconds: 1 },
    { ...own, nextIntervalSeconds: 1 },
  ];
  return finer.find((intervals) => keepsMargin({ ratePerMinuteMicros, ...intervals }, cost)) ?? own;
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
