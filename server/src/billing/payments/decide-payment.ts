import type { PaymentStatus } from "@farline/contract/operator/constants.ts";
import { fromCents } from "../record/cents.ts";
import type { Payment } from "../record/payment.store.ts";
import type { CheckoutState } from "./read-checkout-state.ts";

/** What the provider's state means for a payment. */
export interface PaymentDecision {
  readonly status: PaymentStatus;
  /** Whether to book the credit now. */
  readonly credit: boolean;
  /** Whether the session matches the order, so that refunds and disputes may be booked. */
  readonly ours: boolean;
  /** A mismatch that an operator must review; nothing is booked then. */
  readonly problem: string | null;
}

/** Payment intent states of a complete session whose payment failed. */
const FAILED_INTENT: readonly string[] = ["requires_payment_method", "canceled"];

/**
 * Compares the provider's state with our order. Only a paid session with the right payment, amount, currency and mode is credited. A
 * paid payment stays paid. A complete but unpaid session is pending (docs.stripe.com/payments/payment-methods, delayed notification).
 */
export function decidePayment(payment: Payment, providerState: CheckoutState, expectLive: boolean): PaymentDecision {
  const keep = { credit: false, ours: false, problem: null };
  const problem = describeMismatch(payment, providerState, expectLive);
  if (problem !== null) return { ...keep, status: payment.status === "paid" ? "paid" : "review", problem };
  if (providerState.paid) return { status: "paid", credit: payment.status !== "paid", ours: true, problem: null };
  if (payment.status === "paid") return { ...keep, status: "paid", problem: "no longer paid" };
  if (providerState.sessionStatus === "expired") return { ...keep, status: "expired" };
  if (providerState.sessionStatus !== "complete") return { ...keep, status: "open" };
  if (FAILED_INTENT.includes(providerState.paymentIntentStatus ?? "")) return { ...keep, status: "failed" };
  // A charge without a checkout awaits authentication, not delayed money.
  return { ...keep, status: providerState.sessionId === null ? "open" : "pending" };
}

function describeMismatch(payment: Payment, providerState: CheckoutState, expectLive: boolean): string | null {
  if (providerState.paymentId !== payment.id) return "the session is for another payment";
  if (providerState.live !== expectLive) return "the session is of the wrong mode";
  if (providerState.currency !== payment.currency) return "the session is in another currency";
  if (providerState.amountCents === null || fromCents(providerState.amountCents) !== payment.charge_micros)
    return "the session has another amount";
  return null;
}
