import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** What stops calls for everybody. Amounts are multiplied by LIMITS_SCALE, 0 of which turns them off. */
export const BREAKER_LIMITS = {
  /** What carriers take in a day, from midnight UTC on. Each time an operator lifts the breaker the same amount is added. */
  spendPerDayMicros: 500n * MICROS_PER_DOLLAR,
  /** Shares of it, in percent, at which operators are told. */
  notesAt: [50n, 80n],
  /** A prefix or country stops when its last hour cost more than this, */
  hourMicros: 20n * MICROS_PER_DOLLAR,
  /** and more than this many times the mean of the same hour of the last seven days. */
  timesTheMean: 5n,
  pauseMs: 60 * 60 * 1000,
} as const;
