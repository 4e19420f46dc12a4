import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";

/** Limits on what carriers take, which stop calls for all customers. Multiplied by LIMITS_SCALE; 0 turns them off. */
export interface CarrierCostLimits {
  /** Maximum carrier cost per UTC day. Each time an operator lifts the breaker, the same amount is added. */
  readonly spendPerDayMicros: Micros;
  /** A prefix or country is paused if its last hour cost more than this, and more than `BREAKERS.maxTimesMean` allows. */
  readonly hourMicros: Micros;
}

export const CARRIER_COST_LIMITS: CarrierCostLimits = {
  spendPerDayMicros: 500n * MICROS_PER_DOLLAR,
  hourMicros: 20n * MICROS_PER_DOLLAR,
};

export const BREAKERS = {
  /** Percentages of the daily limit at which operators are warned. */
  warnAtPercent: [50n, 80n],
  /** How many times the mean of the same hour in the last seven days is suspicious. */
  maxTimesMean: 5n,
  pauseMs: 60 * 60 * 1000,
} as const;
