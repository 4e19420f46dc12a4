import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";
import { DAY_MS } from "../durations.ts";

/**
 * How well a customer is known, lowest first. `unverified`: the address is not confirmed; `new`: the address is confirmed;
 * `known`: has paid more than once, with a card confirmed by its bank; `trusted`: the payments can no longer be disputed.
 */
export const riskTiers = ["unverified", "new", "known", "trusted"] as const;
export type RiskTier = (typeof riskTiers)[number];

/** The facts that determine a tier. */
export interface TierFacts {
  readonly createdAt: Date;
  readonly emailVerified: boolean;
  readonly everDisputed: boolean;
  /** All payments of which at least `TIER_RULES.minKeptMicros` were not withdrawn, refunded or disputed. */
  readonly paidPayments: number;
  /** Those that the cardholder confirmed at the bank (3-D Secure). */
  readonly authenticatedPayments: number;
  /** What was kept of payments older than `settledForDays`. */
  readonly longSettledMicros: Micros;
  /** What operators have set for the customer. */
  readonly terms: { readonly tier: RiskTier | null };
}

/** Requirements of the tiers above `new`. A dispute or an unconfirmed address excludes them. */
export const TIER_RULES = {
  minKeptMicros: 5n * MICROS_PER_DOLLAR,
  known: { accountDays: 7, payments: 2, authenticatedPayments: 1 },
  trusted: { accountDays: 30, settledMicros: 50n * MICROS_PER_DOLLAR, settledForDays: 45 },
} as const;

/** Payments before this time count as final. */
export function settledBefore(now: Date): Date {
  return new Date(now.getTime() - TIER_RULES.trusted.settledForDays * DAY_MS);
}

/** The customer's tier: the one that an operator has set for a while, or else the one that they have earned. */
export function tierOf(facts: TierFacts, now: Date): RiskTier {
  return facts.terms.tier ?? earnedTierOf(facts, now);
}

export function earnedTierOf(facts: TierFacts, now: Date): RiskTier {
  const { known, trusted } = TIER_RULES;
  if (!facts.emailVerified) return "unverified";
  if (facts.everDisputed) return "new";
  const accountDays = (now.getTime() - facts.createdAt.getTime()) / DAY_MS;
  if (accountDays >= trusted.accountDays && facts.longSettledMicros >= trusted.settledMicros) return "trusted";
  const proved = facts.paidPayments >= known.payments && facts.authenticatedPayments >= known.authenticatedPayments;
  return accountDays >= known.accountDays && proved ? "known" : "new";
}
