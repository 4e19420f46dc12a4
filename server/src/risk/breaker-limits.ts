import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** Limits that stop calls for all customers. Amounts are multiplied by LIMITS_SCALE; 0 turns them off. */
export const BREAKER_LIMITS = {
  /** Maximum carrier cost per UTC day. Each time an operator lifts the breaker, the same amount is added. */
  spendPerDayMicros: 500n * MICROS_PER_DOLLAR,
  /** Percentages of the daily limit at which operators are warned. */
  warnAtPercent: [50n, 80n],
  /** A prefix or country is paused if its last hour cost more than this, */
  hourMicros: 20n * MICROS_PER_DOLLAR,
  /** and more than this many times the mean of the same hour in the last seven days. */
  maxTimesMean: 5n,
  pauseMs: 60 * 60 * 1000,
} as const;
