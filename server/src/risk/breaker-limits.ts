import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** Limits that stop calls for everybody. Amounts are multiplied by LIMITS_SCALE; 0 turns them off. */
export const BREAKER_LIMITS = {
  /** Maximum carrier cost per UTC day. Each time an operator lifts the breaker, the same amount is added. */
  spendPerDayMicros: 500n * MICROS_PER_DOLLAR,
  /** Percentages of it at which operators are warned. */
  notesAt: [50n, 80n],
  /** A prefix or country stops when its last hour cost more than this, */
  hourMicros: 20n * MICROS_PER_DOLLAR,
  /** and more than this many times the mean of the same hour of the last seven days. */
  timesTheMean: 5n,
  pauseMs: 60 * 60 * 1000,
} as const;
