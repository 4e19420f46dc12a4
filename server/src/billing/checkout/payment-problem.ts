import type { PaymentProblem } from "@farline/contract/billing.ts";
import { CARD_UNUSABLE } from "./place-charge.ts";
import type { Payment } from "../record/payment.store.ts";

/**
 * The decline codes that a customer can act on (docs.stripe.com/declines/codes). Others are hidden, so that someone who found a card
 * does not learn that it was reported lost.
 */
const PROBLEMS: Readonly<Record<string, PaymentProblem>> = {
  insufficient_funds: "insufficient_funds",
  withdrawal_count_limit_exceeded: "insufficient_funds",
  expired_card: "card_expired",
  incorrect_number: "card_details",
  invalid_number: "card_details",
  incorrect_cvc: "card_details",
  invalid_cvc: "card_details",
  incorrect_zip: "card_details",
  invalid_expiry_month: "card_details",
  invalid_expiry_year: "card_details",
  authentication_required: "not_confirmed",
  payment_intent_authentication_failure: "not_confirmed",
  [CARD_UNUSABLE]: CARD_UNUSABLE,
};

/** Why a payment brought no credit, or why the last attempt of an open one failed; null if neither applies. */
export function problemOf({ status, failure_code: code }: Pick<Payment, "status" | "failure_code">): PaymentProblem | null {
  if (status === "paid" || status === "review" || status === "pending") return null;
  if (code !== null) return PROBLEMS[code] ?? "declined";
  return status === "created" || status === "open" ? null : "not_finished";
}
