import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";

const dollars = (amount: bigint): Micros => amount * MICROS_PER_DOLLAR;

/** Limits on off-session charges. Scaled by LIMITS_SCALE; 0 turns them off. */
export const AUTO_TOP_UP_RULES = {
  accountDays: 7,
  /** Payments authenticated by the card's owner. */
  confirmedPayments: 1,
  hoursAfterPasswordReset: 24,
  coolDownMinutes: 10,
  chargesPerDay: 3,
  perDayMicros: dollars(100n),
} as const;

/** Consecutive declines after which automatic top-up stops. Protects the customer, so it is not scaled. */
export const FAILURES_TO_STOP = 2;

export const THRESHOLD_BOUNDS = { minMicros: dollars(1n), maxMicros: dollars(50n) } as const;
export const AMOUNT_BOUNDS = { minMicros: dollars(5n), maxMicros: dollars(100n) } as const;
/** Suggested to a customer who has not chosen. */
export const DEFAULT_SETTINGS = { thresholdMicros: dollars(5n), amountMicros: dollars(20n) } as const;

export const MAX_CARDS = 3;
/** Against card testing. Scaled by LIMITS_SCALE. */
export const CARD_SETUPS_PER_DAY = 10;
