import { DAY_MS } from "@farline/domain/durations.ts";
import type { Micros } from "@farline/domain/money.ts";
import type { Stripe } from "stripe";
import { fromCents } from "../record/cents.ts";

/** Both sides book a movement within this time: the ledger first for refunds, the provider first for payments. */
export const BOOKED_WITHIN_MS = 3 * DAY_MS;

/** What a movement of the provider's balance is about, by the provider's reporting category. */
type MovementKind = "payment" | "account" | "other_business" | "unknown";

/** What payers' payments move. */
const OF_PAYMENTS: ReadonlySet<string> = new Set([
  "charge",
  "charge_failure",
  "dispute",
  "dispute_reversal",
  "partial_capture_reversal",
  "refund",
  "refund_failure",
]);
/** The account's own: fees, transfers from and to the bank, reserves. */
const OF_THE_ACCOUNT: ReadonlySet<string> = new Set([
  "fee",
  "network_cost",
  "other_adjustment",
  "payout",
  "payout_minimum_balance_hold",
  "payout_minimum_balance_release",
  "payout_reversal",
  "risk_reserved_funds",
  "tax",
  "topup",
  "topup_reversal",
]);
/** What this service never does: platforms, cards that are issued, loans, donations. */
const OF_OTHER_BUSINESS: ReadonlySet<string> = new Set([
  "advance",
  "advance_funding",
  "anticipation_repayment",
  "climate_order_purchase",
  "climate_order_refund",
  "connect_collection_transfer",
  "connect_reserved_funds",
  "contribution",
  "financing_paydown",
  "financing_paydown_reversal",
  "financing_payout",
  "financing_payout_reversal",
  "issuing_authorization_hold",
  "issuing_authorization_release",
  "issuing_disbursement",
  "issuing_dispute",
  "issuing_dispute_reversal",
  "issuing_transaction",
  "platform_earning",
  "platform_earning_refund",
  "transfer",
  "transfer_reversal",
]);

export function kindOf(category: string): MovementKind {
  if (OF_PAYMENTS.has(category)) return "payment";
  if (OF_THE_ACCOUNT.has(category)) return "account";
  return OF_OTHER_BUSINESS.has(category) ? "other_business" : "unknown";
}

/**
 * What a payment's movement was to the payer, in dollars, whatever currency the account settles in: all payments here are made in dollars.
 * @returns null if it was not in dollars
 */
export function payerMicros({ currency, amount, reporting_category, source }: Stripe.BalanceTransaction): Micros | null {
  if (currency === "usd") return fromCents(amount);
  if (source === null || typeof source === "string" || !("amount" in source) || !("currency" in source)) return null;
  if (source.currency !== "usd") return null;
  const kept = reporting_category === "partial_capture_reversal" && "amount_captured" in source ? source.amount_captured : 0;
  const size = fromCents(source.amount - kept);
  return amount < 0 ? -size : size;
}

/** The payment intent behind a charge, refund or dispute. */
export function intentOf({ source }: Stripe.BalanceTransaction): string | null {
  if (source === null || typeof source === "string" || !("payment_intent" in source)) return null;
  const intent = source.payment_intent;
  return typeof intent === "string" ? intent : (intent?.id ?? null);
}

/** The installation whose payment it is, if the charge or refund says so itself. */
export function siteOf({ source }: Stripe.BalanceTransaction): string | null {
  if (source === null || typeof source === "string" || !("metadata" in source)) return null;
  return source.metadata?.["site"] ?? null;
}

/** Whether it is the charge, which says whose payment it is. */
export function isCharge({ source }: Stripe.BalanceTransaction): boolean {
  return source !== null && typeof source !== "string" && source.object === "charge";
}
