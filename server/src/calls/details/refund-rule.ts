import type { RefundReason } from "@farline/contract/call-details.ts";
import type { EndReason } from "@farline/contract/calls.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";

/** What was known about a call when its refund was asked for, kept with the request. Amounts are decimal text: it is JSON. */
export interface RefundEvidence {
  readonly endReason: EndReason | null;
  readonly durationMs: number;
  readonly chargeMicros: string;
  readonly priceClass: PriceClass;
  /** Voice packets that the exchange received from each side; null where it did not say. */
  readonly packetsFromCaller: number | null;
  readonly packetsFromCalled: number | null;
  /** As the browser heard it: how many samples, their mean and their worst; null without samples. */
  readonly heard: { readonly samples: number; readonly meanMos: number; readonly worstMos: number } | null;
  readonly tier: RiskTier;
  /** Calls that were paid with bought credit, as far as it stayed, both longer ago than a card's owner may contest them. */
  readonly historyMicros: string;
  readonly byRule: GrantedByRule;
}

/** What the rule has given back by itself. */
export interface GrantedByRule {
  /** In the last `spanDays`: to this customer, and for calls to this number whoever made them. */
  readonly toCustomer: number;
  readonly toCustomerMicros: string;
  readonly forNumber: number;
  /** In the last 24 hours: for calls to this prefix of the deck, and in all. */
  readonly forPrefixMicros: string;
  readonly inAllMicros: string;
}

/** Up to what the rule gives back by itself; a person decides about the rest. Whoever is called can bring its proofs about. */
export const REFUND_RULE = {
  mostMicros: 2n * MICROS_PER_DOLLAR,
  tiers: ["known", "trusted"] as readonly RiskTier[],
  /** In calls above it the called side may earn more than a refund costs it. */
  priceClass: "A" as PriceClass,
  /** The history must be worth so many times what the customer gets back in `spanDays`: nobody pays that for a refund. */
  historyTimes: 20n,
  spanDays: 30,
  refundsOfCustomer: 3,
  refundsForNumber: 1,
  prefixPerDayMicros: 5n * MICROS_PER_DOLLAR,
  inAllPerDayMicros: 50n * MICROS_PER_DOLLAR,
  /** A call that the network lost before this was no conversation. */
  noConversationMs: 10_000,
} as const;

const SILENT_REASONS: readonly RefundReason[] = ["no_audio", "one_way"];

/**
 * Whether a charge is given back without a person: the data says that nothing was heard, and the customer has more to lose
 * than the refund. Silence and lost calls can be arranged with the called side, so they prove nothing by themselves; what the
 * browser reports proves nothing at all.
 */
export function refundsByRule(reason: RefundReason, evidence: RefundEvidence): boolean {
  return saysNothingHeard(reason, evidence) && isWorthMore(evidence) && isWithinCeilings(evidence);
}

function saysNothingHeard(reason: RefundReason, { packetsFromCalled, endReason, durationMs }: RefundEvidence): boolean {
  const silent = packetsFromCalled === 0 && SILENT_REASONS.includes(reason);
  return silent || (endReason === "connection_lost" && durationMs < REFUND_RULE.noConversationMs);
}

function isWorthMore({ tier, priceClass, chargeMicros, historyMicros, byRule }: RefundEvidence): boolean {
  const backMicros = BigInt(chargeMicros) + BigInt(byRule.toCustomerMicros);
  return (
    REFUND_RULE.tiers.includes(tier) &&
    priceClass === REFUND_RULE.priceClass &&
    BigInt(historyMicros) >= backMicros * REFUND_RULE.historyTimes
  );
}

function isWithinCeilings({ chargeMicros, byRule }: RefundEvidence): boolean {
  const micros = BigInt(chargeMicros);
  return (
    micros <= REFUND_RULE.mostMicros &&
    byRule.toCustomer < REFUND_RULE.refundsOfCustomer &&
    byRule.forNumber < REFUND_RULE.refundsForNumber &&
    BigInt(byRule.forPrefixMicros) + micros <= REFUND_RULE.prefixPerDayMicros &&
    BigInt(byRule.inAllMicros) + micros <= REFUND_RULE.inAllPerDayMicros
  );
}
