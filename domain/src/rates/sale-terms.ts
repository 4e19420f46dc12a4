import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Minimum margin in percent of the sale; calls with less are not sold. */
export const MIN_MARGIN_PERCENT = 5n;
/** If the carrier's increments are longer than this, calls are sold in the carrier's increments. */
const FINE_INTERVAL_SECONDS = 6;

type Intervals = Pick<BillingRate, "firstIntervalSeconds" | "nextIntervalSeconds">;

/** Whether the sale price covers the cost and the margin at every call length. */
export function keepsMargin(sale: BillingRate, cost: BillingRate): boolean {
  return coversEveryLength(sale, cost, 100n - MIN_MARGIN_PERCENT);
}

/** Whether `rate` charges no more than `shown` at every call length, compared before rounding. */
export function costsNoMore(rate: BillingRate, shown: BillingRate): boolean {
  return coversEveryLength(shown, rate, 100n);
}

/**
 * Whether this percentage of the sale covers the cost at every call length. The worst case is the first second of each cost increment.
 * Checking one common period suffices, because a price per minute below cost already fails in the first sale increment.
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
 * The increments in which calls are sold: seconds if the carrier's increments are short, else the carrier's. If billing by the second
 * would sell below cost, the first increment or all increments are the carrier's.
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
