import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";

/** How well a payer is known: `new` until proved otherwise. */
export type PayerTier = "new" | "known" | "trusted";

export interface TopUpLimits {
  readonly perDayMicros: Micros;
  readonly perWeekMicros: Micros;
  /** Someone who tests stolen cards needs many checkouts. */
  readonly checkoutsPerHour: number;
  readonly checkoutsPerDay: number;
  /** Declined charges, or different cards declined, after which no card is taken for a day. */
  readonly declinesPerHour: number;
  readonly declinedCardsPerDay: number;
  /** What the provider is told about asking the card's owner (`payment_method_options.card.request_three_d_secure`). */
  readonly threeDSecure: "challenge" | "any" | "automatic";
}

const dollars = (amount: bigint) => amount * MICROS_PER_DOLLAR;

/** Amounts and counts are multiplied by LIMITS_SCALE; 0 turns them off. */
export const TOP_UP_LIMITS: Readonly<Record<PayerTier, TopUpLimits>> = {
  new: {
    perDayMicros: dollars(100n),
    perWeekMicros: dollars(150n),
    checkoutsPerHour: 5,
    checkoutsPerDay: 10,
    declinesPerHour: 5,
    declinedCardsPerDay: 3,
    threeDSecure: "challenge",
  },
  known: {
    perDayMicros: dollars(200n),
    perWeekMicros: dollars(400n),
    checkoutsPerHour: 10,
    checkoutsPerDay: 20,
    declinesPerHour: 5,
    declinedCardsPerDay: 4,
    threeDSecure: "any",
  },
  trusted: {
    perDayMicros: dollars(300n),
    perWeekMicros: dollars(1_000n),
    checkoutsPerHour: 10,
    checkoutsPerDay: 20,
    declinesPerHour: 6,
    declinedCardsPerDay: 5,
    threeDSecure: "automatic",
  },
};

/** What a payer must have shown to be more than new. Nobody with a dispute, or with an unproved address, is. */
export const TIER_RULES = {
  known: { accountDays: 7, payments: 2, authenticatedPayments: 1 },
  trusted: { accountDays: 30, settledMicros: dollars(50n), settledForDays: 45 },
} as const;

/** Families share a card. The customer after this many is looked at by a person. */
export const MOST_CUSTOMERS_PER_CARD = 2;
