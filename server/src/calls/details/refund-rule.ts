import type { RefundReason } from "@farline/contract/call-details.ts";
import type { EndReason } from "@farline/contract/calls.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";

/** The evidence about a call, stored as JSON with its refund request. Amounts are decimal text. */
export interface RefundEvidence {
  readonly endReason: EndReason | null;
  readonly durationMs: number;
  readonly chargeMicros: string;
  readonly priceClass: PriceClass;
  /** Voice packets that the exchange received from each side; null if unknown. */
  readonly packetsFromCaller: number | null;
  readonly packetsFromCalled: number | null;
  /** The browser's measurements: number of samples, mean and worst; null without samples. */
  readonly heard: { readonly samples: number; readonly meanMos: number; readonly worstMos: number } | null;
  readonly tier: RiskTier;
  /** Spending on calls, paid with money that was not returned; calls and payments are past the chargeback period. */
  readonly historyMicros: string;
  readonly byRule: RuleRefunds;
}

/** Earlier automatic refunds. */
export interface RuleRefunds {
  /** In the last `spanDays`: to this customer, and for all customers' calls to this number. */
  readonly toCustomer: number;
  readonly toCustomerMicros: string;
  readonly forNumber: number;
  /** In the last 24 hours: for calls to this prefix of the deck, and in total. */
  readonly forPrefixMicros: string;
  readonly inAllMicros: string;
}

/** The rule's limits, above which an operator decides. They are low because the called side can fake the evidence. */
export const REFUND_RULE = {
  maxMicros: 2n * MICROS_PER_DOLLAR,
  tiers: ["known", "trusted"] as readonly RiskTier[],
  /** In higher classes, the called side may earn more than a refund costs. */
  priceClass: "A" as PriceClass,
  /** The history must be worth this many times the refunds of `spanDays`, so that building one up for fraud does not pay. */
  historyTimes: 20n,
  spanDays: 30,
  refundsOfCustomer: 3,
  refundsForNumber: 1,
  prefixPerDayMicros: 5n * MICROS_PER_DOLLAR,
  inAllPerDayMicros: 50n * MICROS_PER_DOLLAR,
  /** A call that the network lost before this time is treated as no conversation. */
  noConversationMs: 10_000,
} as const;

const SILENT_REASONS: readonly RefundReason[] = ["no_audio", "one_way"];

/**
 * Whether a charge is refunded automatically: the evidence shows that nothing was heard, and the customer's history is worth more
 * than the refund. The called side can fake silence and lost calls, so those alone are not enough. Browser data is not evidence.
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
    micros <= REFUND_RULE.maxMicros &&
    byRule.toCustomer < REFUND_RULE.refundsOfCustomer &&
    byRule.forNumber < REFUND_RULE.refundsForNumber &&
    BigInt(byRule.forPrefixMicros) + micros <= REFUND_RULE.prefixPerDayMicros &&
    BigInt(byRule.inAllMicros) + micros <= REFUND_RULE.inAllPerDayMicros
  );
}
