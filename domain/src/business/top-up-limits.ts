import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";
import type { RiskTier } from "../calls/risk-tier.ts";

export interface TopUpLimits {
  readonly perDayMicros: Micros;
  readonly perWeekMicros: Micros;
  /** Against card testing. */
  readonly checkoutsPerHour: number;
  readonly checkoutsPerDay: number;
  /** Declined charges, or different declined cards, after which cards are refused for a day. */
  readonly declinesPerHour: number;
  readonly declinedCardsPerDay: number;
  /** When the provider asks for 3-D Secure (`payment_method_options.card.request_three_d_secure`). */
  readonly threeDSecure: "challenge" | "any" | "automatic";
}

const dollars = (amount: bigint) => amount * MICROS_PER_DOLLAR;

/** The smallest and the largest top-up. */
export const MIN_TOP_UP_MICROS: Micros = dollars(5n);
export const MAX_TOP_UP_MICROS: Micros = dollars(500n);

const ofNewPayers: TopUpLimits = {
  perDayMicros: dollars(100n),
  perWeekMicros: dollars(150n),
  checkoutsPerHour: 5,
  checkoutsPerDay: 10,
  declinesPerHour: 5,
  declinedCardsPerDay: 3,
  threeDSecure: "challenge",
};

/** Multiplied by LIMITS_SCALE; 0 turns them off. A first top-up does not require a verified email address. */
export const TOP_UP_LIMITS: Readonly<Record<RiskTier, TopUpLimits>> = {
  unverified: ofNewPayers,
  new: ofNewPayers,
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

/** After this many declined charges in 24 hours, a checkout requires a proof of work. Scaled too. */
export const DECLINES_BEFORE_CHECK = 3;

/** Families may share a card. The account of the next customer is frozen for review. */
export const MAX_CUSTOMERS_PER_CARD = 2;
