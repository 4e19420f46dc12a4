import type { PaymentStatus } from "../record/billing.tables.ts";
import { fromCents } from "../record/cents.ts";
import type { Payment } from "../record/payment.store.ts";
import type { CheckoutTruth } from "./read-checkout-truth.ts";

/** The consequences of the provider's state for a payment. */
export interface PaymentDecision {
  readonly status: PaymentStatus;
  /** The credit must be booked now. */
  readonly credit: boolean;
  /** Refunds and disputes may be booked. */
  readonly ours: boolean;
  /** A mismatch that needs a person; nothing is booked then. */
  readonly problem: string | null;
}

/** Payment intent states that mean no payment, once the session is complete. */
const FAILED_INTENT: readonly string[] = ["requires_payment_method", "canceled"];

/**
 * Compares the provider's state with our order. Only a paid session that matches in payment, amount, currency and mode is
 * credited. A paid payment stays paid. A complete session that is unpaid waits for its money (docs.stripe.com/payments/payment-methods,
 * delayed notification).
 */
export function decidePayment(payment: Payment, truth: CheckoutTruth, expectLive: boolean): PaymentDecision {
  const keep = { credit: false, ours: false, problem: null };
  const problem = describeMismatch(payment, truth, expectLive);
  if (problem !== null) return { ...keep, status: payment.status === "paid" ? "paid" : "review", problem };
  if (truth.paid) return { status: "paid", credit: payment.status !== "paid", ours: true, problem: null };
  if (payment.status === "paid") return { ...keep, status: "paid", problem: "no longer paid" };
  if (truth.sessionStatus === "expired") return { ...keep, status: "expired" };
  if (truth.sessionStatus !== "complete") return { ...keep, status: "open" };
  if (FAILED_INTENT.includes(truth.paymentIntentStatus ?? "")) return { ...keep, status: "failed" };
  // A charge without a checkout waits for the cardholder, not for the money.
  return { ...keep, status: truth.sessionId === null ? "open" : "pending" };
}

function describeMismatch(payment: Payment, truth: CheckoutTruth, expectLive: boolean): string | null {
  if (truth.paymentId !== payment.id) return "the session is for another payment";
  if (truth.live !== expectLive) return "the session is of the wrong mode";
  if (truth.currency !== payment.currency) return "the session is in another currency";
  if (truth.amountCents === null || fromCents(truth.amountCents) !== payment.charge_micros)
    return "the session has another amount";
  return null;
}
