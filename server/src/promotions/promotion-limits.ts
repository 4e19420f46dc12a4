import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** Bounds on what is given away, as data. Counts are multiplied by the configured scale; 0 of it turns a guard off. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** What could not be decided is looked at again after so long: its turn must not be taken by those who wait with it. */
export const FAILED_LOOK_AGAIN_MS = 60 * 1000;

/** Codes one customer may try in ten minutes; those that give something do not count. */
export const PROMO_CHECKS = { points: 20, perSeconds: 600 } as const;
/** Invitations one customer may name in an hour. */
export const REFERRAL_CLAIMS = { points: 5, perSeconds: 3600 } as const;

export const referralRules = {
  /** What the first top-up of who is invited must be. */
  leastMicros: 10n * MICROS_PER_DOLLAR,
  /** Whoever has had an account for longer was not invited. */
  claimWithinMs: DAY_MS,
  /** Inviters get something for so many people in so long. */
  rewardsPerWindow: 10,
  rewardWindowMs: 30 * DAY_MS,
  /** How long both have to prove their addresses after the payment. */
  proveWithinMs: 30 * DAY_MS,
} as const;

export const firstCallRules = {
  /** One in so long from one network. */
  networkWindowMs: 30 * DAY_MS,
  /** How often, and how long, somebody is waited for whose browser is not known yet. */
  lookAgainMs: 10 * 60 * 1000,
  /** How long a network is remembered, for a person who looks into a fraud. */
  networkKeptMs: 365 * DAY_MS,
  giveUpMs: 30 * DAY_MS,
} as const;
