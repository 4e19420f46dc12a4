import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Minimum margin in percent of the sale: calls that leave less are not sold. */
export const LEAST_MARGIN_PERCENT = 5n;
/** Destinations whose carrier charges in longer increments are sold in the carrier's increments. */
const FINE_INTERVAL_SECONDS = 6;

type Intervals = Pick<BillingRate, "firstIntervalSeconds" | "nextIntervalSeconds">;

/**
 * Whether a call of every length sells for its cost and the margin. The sale is worst in the first second of a carrier's
 * block. A price per minute below cost already loses in the sale's first block, so after one common period nothing new comes.
 */
export function keepsMargin(sale: BillingRate, cost: BillingRate): boolean {
  const period = leastCommonMultiple(sale.nextIntervalSeconds, cost.nextIntervalSeconds);
  const last = Math.max(sale.firstIntervalSeconds, cost.firstIntervalSeconds) + period;
  for (let second = 1; second <= last; second = billedSeconds(second, cost) + 1)
    if (!coversCost(sale, billedSeconds(second, sale), cost, billedSeconds(second, cost))) return false;
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

function coversCost(sale: BillingRate, soldSeconds: number, cost: BillingRate, boughtSeconds: number): boolean {
  const sold = sale.ratePerMinuteMicros * BigInt(soldSeconds) * (100n - LEAST_MARGIN_PERCENT);
  return sold >= cost.ratePerMinuteMicros * BigInt(boughtSeconds) * 100n;
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
