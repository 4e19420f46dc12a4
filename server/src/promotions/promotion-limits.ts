import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";

/** The refusal of free credit by what a customer shares with another. The first match counts. */
export const SHARED = { mailbox: "same_address", browser: "same_browser", network: "same_network" } as const;

/** Descriptions of bonuses in the ledger, for operators. Customers see translations. */
export const BONUS_DESCRIPTIONS = {
  welcome: "Welcome bonus",
  invitation: "Bonus for an invitation",
  first_call: "Your first call is free",
} as const;

/** Limits on free credit. Counts are multiplied by the configured scale; 0 turns a limit off. */

/** Delay after a failed decision, so that it does not block the others. */
export const FAILED_RETRY_MS = 60 * 1000;

export const referralRules = {
  /** Minimum first top-up of the invited customer. */
  minMicros: 10n * MICROS_PER_DOLLAR,
  /** An invitation must be claimed within this time after sign-up. */
  claimWithinMs: DAY_MS,
  /** Maximum rewards per inviter and period. */
  rewardsPerWindow: 10,
  rewardWindowMs: 30 * DAY_MS,
  /** Customers who shared a network within this time cannot invite each other. */
  networkWindowMs: 30 * DAY_MS,
  /** How long a reward waits after the payment for both addresses to be verified, or for the daily budget. */
  waitForMs: 30 * DAY_MS,
} as const;

/** Retry interval and time limit of free credit that waits for a known browser and network, or for the budget. */
export const waitingFreeCredit = { retryMs: 10 * 60 * 1000, giveUpMs: 30 * DAY_MS } as const;

export const firstCallRules = {
  /** One per network and period. */
  networkWindowMs: 30 * DAY_MS,
} as const;

/** Limits on all free credit together. The daily total is the setting `FREE_CREDIT_PER_DAY`. */
export const FREE_CREDIT_BUDGET = {
  windowMs: DAY_MS,
  /** Share of the daily budget for the customers of one network. */
  networkPercent: 10n,
  /**
   * Shares for codes of payments that have not arrived, by whether the address is confirmed: opening checkouts costs nothing, so they must
   * not use up the day for those who pay.
   */
  unpaidPercent: { confirmed: 40n, unconfirmed: 10n },
  /** Customers seen in a network within this time share its budget. */
  networkWindowMs: 30 * DAY_MS,
  keptMs: 2 * DAY_MS,
} as const;

export type SharedKind = keyof typeof SHARED;
