import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** Bounds on what is given away, as data. Counts are multiplied by the configured scale; 0 of it turns a guard off. */

/** How long an undecidable case waits, so that it does not block the others. */
export const FAILED_LOOK_AGAIN_MS = 60 * 1000;

/** Codes one customer may try in ten minutes; those that give something do not count. */
export const PROMO_CHECKS = { points: 20, perSeconds: 600 } as const;
/** Invitations one customer may name in an hour. */
export const REFERRAL_CLAIMS = { points: 5, perSeconds: 3600 } as const;

export const referralRules = {
  /** What the first top-up of who is invited must be. */
  leastMicros: 10n * MICROS_PER_DOLLAR,
  /** An invitation must be claimed within this time after sign-up. */
  claimWithinMs: DAY_MS,
  /** Maximum rewards per inviter and period. */
  rewardsPerWindow: 10,
  rewardWindowMs: 30 * DAY_MS,
  /** Customers who were in one network within this time do not invite each other. */
  networkWindowMs: 30 * DAY_MS,
  /** How long after the payment a reward waits: for both to prove their addresses, or for the day's budget. */
  waitForMs: 30 * DAY_MS,
} as const;

/** A gift to somebody whose browser or network is unknown, or beyond the budget, is looked at again this often, and for this long. */
export const waitingGifts = { lookAgainMs: 10 * 60 * 1000, giveUpMs: 30 * DAY_MS } as const;

export const firstCallRules = {
  /** One per network and period. */
  networkWindowMs: 30 * DAY_MS,
} as const;

/** Bounds on all gifts together. The sum of a day is a setting, `GIFTS_PER_DAY`. */
export const GIFT_BUDGET = {
  windowMs: DAY_MS,
  /** The part of a day's budget that the customers of one network may have. */
  networkPercent: 10n,
  /** How long ago another customer of the network was seen there. */
  networkWindowMs: 30 * DAY_MS,
  keptMs: 2 * DAY_MS,
} as const;
