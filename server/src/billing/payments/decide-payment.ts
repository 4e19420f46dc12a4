import type { PaymentStatus } from "../billing.tables.ts";
import { fromCents } from "../cents.ts";
import type { Payment } from "./payment.store.ts";
import type { CheckoutTruth } from "./read-checkout-truth.ts";

/** The consequences of the provider's state for a payment. */
export interface PaymentDecision {
  readonly status: PaymentStatus;
  /** The credit has to be booked now. */
  readonly credit: boolean;
  /** What happened to the money afterwards may be booked. */
  readonly ours: boolean;
  /** A mismatch that needs a person; nothing is booked then. */
  readonly problem: string | null;
}

/** Payment intent states after which no money comes any more, once the session is complete. */
const FAILED_INTENT: readonly string[] = ["requires_payment_method", "canceled"];

/**
 * Compares the provider's word with our order. Credit is booked only for a session that is paid and is ours in every
 * respect: payment, amount, currency and mode. A payment that was paid stays paid.
 */
export function decidePayment(payment: Payment, truth: CheckoutTruth, expectLive: boolean): PaymentDecision {
  const keep = { credit: false, ours: false, problem: null };
  const problem = describeMismatch(payment, truth, expectLive);
  if (problem !== null) return { ...keep, status: payment.status === "paid" ? "paid" : "review", problem };
  if (truth.paid) return { status: "paid", credit: payment.status !== "paid", ours: true, problem: null };
  if (payment.status === "paid") return { ...keep, status: "paid", problem: "no longer paid" };
  if (truth.sessionStatus === "expired") return { ...keep, status: "expired" };
  const failed = truth.sessionStatus === "complete" && FAILED_INTENT.includes(truth.paymentIntentStatus ?? "");
  return { ...keep, status: failed ? "failed" : "open" };
}

function describeMismatch(payment: Payment, truth: CheckoutTruth, expectLive: boolean): string | null {
  if (truth.paymentId !== payment.id) return "the session is for another payment";
  if (truth.live !== expectLive) return "the session is of the wrong mode";
  if (truth.currency !== payment.currency) return "the session is in another currency";
  if (truth.amountCents === null || fromCents(truth.amountCents) !== payment.charge_micros)
    return "the session has another amount";
  return null;
}
