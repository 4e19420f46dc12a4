import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { convergeSetupSession } from "../cards/converge-card-setup.ts";
import { refreshCard } from "../cards/remove-card.ts";
import type { OperatorDependencies } from "../billing-dependencies.ts";
import { convergePayment, type ConvergeHint } from "../payments/converge-payment.ts";
import { recordDeclines } from "../limits/record-declines.ts";
import { findPaymentByIntent, findPaymentBySession, readPayment, type Payment } from "../record/payment.store.ts";
import type { Aftermath } from "../payments/read-checkout-truth.ts";
import { finishEvent, receiveEvent } from "./stripe-event.store.ts";

/**
 * Processes a verified event. It only says what to read; the state is read from Stripe. Processed events are
 * remembered to save work; correctness rests on `convergePayment` alone.
 * @throws any failure: the route then answers 5xx and Stripe delivers again
 */
export async function handleStripeEvent(deps: OperatorDependencies, event: Stripe.Event): Promise<void> {
  const { db } = deps.handle;
  const done = await receiveEvent(db, { id: event.id, type: event.type, now: deps.clock.now() });
  if (done) return;
  await dispatchEvent(deps, event);
  await finishEvent(db, event.id, deps.clock.now());
}

/** The subject of a provider event: a checkout or a payment; null if it does not concern us. */
async function dispatchEvent(deps: OperatorDependencies, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return convergeSession(deps, event.data.object);
    case "payment_intent.payment_failed": {
      const payment = await paymentOf(deps, event.data.object.id);
      if (payment === null) return;
      await recordDeclines(deps, payment, event.data.object.id);
      // Also for a checkout that stays open: its page explains the decline.
      await convergePayment(deps, payment.id, payment.saved_card_id === null ? {} : { intentId: event.data.object.id });
      return;
    }
    case "payment_intent.succeeded":
    case "payment_intent.canceled":
      return convergeCharge(deps, await paymentOf(deps, event.data.object.id), event.data.object.id);
    case "payment_method.updated":
    case "payment_method.automatically_updated":
    case "payment_method.detached":
      return refreshCard(deps, event.data.object.id);
    case "charge.refunded":
    case "charge.refund.updated":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return convergeIntent(deps, event.data.object.payment_intent, ["refunds"]);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
      return convergeIntent(deps, event.data.object.payment_intent, ["disputes"]);
    case "radar.early_fraud_warning.created":
    case "radar.early_fraud_warning.updated":
      return convergeIntent(deps, event.data.object.payment_intent ?? null, ["warnings"]);
    default:
  }
}

async function convergeSession(deps: OperatorDependencies, session: Stripe.Checkout.Session): Promise<void> {
  if (session.mode === "setup") return convergeSetupSession(deps, session);
  const { db } = deps.handle;
  const payment = (await findPaymentBySession(db, session.id)) ?? (await readNamed(deps, session.metadata));
  if (payment === undefined) return deps.log.info({ session_id: session.id }, "event for an unknown checkout");
  await convergePayment(deps, payment.id, { sessionId: session.id });
}

/** A charge without a checkout; others get their checkout's event. */
async function convergeCharge(deps: OperatorDependencies, payment: Payment | null, intentId: string): Promise<void> {
  if (payment !== null && payment.saved_card_id !== null) await convergePayment(deps, payment.id, { intentId });
}

async function convergeIntent(
  deps: OperatorDependencies,
  reference: string | Stripe.PaymentIntent | null,
  aftermath: readonly Aftermath[],
): Promise<void> {
  const intentId = typeof reference === "string" ? reference : reference?.id;
  const payment = intentId === undefined ? null : await paymentOf(deps, intentId);
  const hint: ConvergeHint = { aftermath };
  if (payment !== null) await convergePayment(deps, payment.id, hint);
}

/** A refund's event may precede its payment's: then only Stripe knows the intent's payment. */
async function paymentOf(deps: OperatorDependencies, intentId: string): Promise<Payment | null> {
  const known = await findPaymentByIntent(deps.handle.db, intentId);
  if (known !== undefined) return known;
  const intent = await deps.stripe.paymentIntents.retrieve(intentId);
  const named = await readNamed(deps, intent.metadata);
  if (named === undefined) deps.log.info({ payment_intent_id: intentId }, "event for an unknown payment");
  return named ?? null;
}

async function readNamed(deps: OperatorDependencies, metadata: Stripe.Metadata | null): Promise<Payment | undefined> {
  const paymentId = metadata?.["payment_id"] ?? "";
  return isUuid(paymentId) ? readPayment(deps.handle.db, paymentId) : undefined;
}
