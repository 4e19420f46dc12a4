import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";

const dollars = (amount: bigint): Micros => amount * MICROS_PER_DOLLAR;

/** Limits on off-session charges. Scaled by LIMITS_SCALE; 0 turns them off. */
export const AUTO_TOP_UP_RULES = {
  accountDays: 7,
  /** Payments that the card's owner confirmed at the bank. */
  confirmedPayments: 1,
  hoursAfterPasswordReset: 24,
  coolDownMinutes: 10,
  chargesPerDay: 3,
  perDayMicros: dollars(100n),
} as const;

/** Consecutive declines after which it stops. Protects the customer, so it is not scaled. */
export const FAILURES_TO_STOP = 2;

export const THRESHOLD_BOUNDS = { leastMicros: dollars(1n), mostMicros: dollars(50n) } as const;
export const AMOUNT_BOUNDS = { leastMicros: dollars(5n), mostMicros: dollars(100n) } as const;
/** The default offer to a customer who has not chosen. */
export const DEFAULT_SETTINGS = { thresholdMicros: dollars(5n), amountMicros: dollars(20n) } as const;

export const MAX_CARDS = 3;
/** Card testers would save many. Scaled by LIMITS_SCALE. */
export const CARD_SETUPS_PER_DAY = 10;
