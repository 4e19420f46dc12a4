import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** Bounds on what is given away, as data. Counts are multiplied by the configured scale; 0 of it turns a guard off. */

const DAY_MS = 24 * 60 * 60 * 1000;

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
  /** How long both have to prove their addresses after the payment. */
  proveWithinMs: 30 * DAY_MS,
} as const;

export const firstCallRules = {
  /** One per network and period. */
  networkWindowMs: 30 * DAY_MS,
  /** How often, and for how long, to wait until the customer's browser is known. */
  lookAgainMs: 10 * 60 * 1000,
  /** How long a network is remembered, for a person who looks into a fraud. */
  networkKeptMs: 365 * DAY_MS,
  giveUpMs: 30 * DAY_MS,
} as const;
