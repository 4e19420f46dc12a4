import type Stripe from "stripe";
import { convergeSetupSession } from "../auto-top-up/converge-card-setup.ts";
import { refreshCard } from "../auto-top-up/remove-card.ts";
import type { OperatorDependencies } from "../billing-dependencies.ts";
import { convergePayment, type ConvergeHint } from "../payments/converge-payment.ts";
import { recordDeclines } from "../limits/record-declines.ts";
import { findPaymentByIntent, findPaymentBySession, readPayment, type Payment } from "../payments/payment.store.ts";
import type { Aftermath } from "../payments/read-checkout-truth.ts";
import { finishEvent, receiveEvent } from "./stripe-event.store.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Processes a verified event. It only says what to read; the state is read from Stripe. Processed events are
 * remembered to save work; correctness rests on `convergePayment` alone.
 * @throws any failure: the route then answers 5xx and Stripe delivers again
 */
export async function handleStripeEvent(parts: OperatorDependencies, event: Stripe.Event): Promise<void> {
  const { db } = parts.handle;
  const done = await receiveEvent(db, { id: event.id, type: event.type, now: parts.clock.now() });
  if (done) return;
  await dispatchEvent(parts, event);
  await finishEvent(db, event.id, parts.clock.now());
}

/** The subject of a provider event: a checkout or a payment; null if it does not concern us. */
async function dispatchEvent(parts: OperatorDependencies, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return convergeSession(parts, event.data.object);
    case "payment_intent.payment_failed": {
      const payment = await paymentOf(parts, event.data.object.id);
      if (payment === null) return;
      await recordDeclines(parts, payment, event.data.object.id);
      // Also for a checkout that stays open: its page explains the decline.
      await convergePayment(parts, payment.id, payment.saved_card_id === null ? {} : { intentId: event.data.object.id });
      return;
    }
    case "payment_intent.succeeded":
    case "payment_intent.canceled":
      return convergeCharge(parts, await paymentOf(parts, event.data.object.id), event.data.object.id);
    case "payment_method.updated":
    case "payment_method.automatically_updated":
    case "payment_method.detached":
      return refreshCard(parts, event.data.object.id);
    case "charge.refunded":
    case "charge.refund.updated":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return convergeIntent(parts, event.data.object.payment_intent, ["refunds"]);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
      return convergeIntent(parts, event.data.object.payment_intent, ["disputes"]);
    case "radar.early_fraud_warning.created":
    case "radar.early_fraud_warning.updated":
      return convergeIntent(parts, event.data.object.payment_intent ?? null, ["warnings"]);
    default:
  }
}

async function convergeSession(parts: OperatorDependencies, session: Stripe.Checkout.Session): Promise<void> {
  if (session.mode === "setup") return convergeSetupSession(parts, session);
  const { db } = parts.handle;
  const payment = (await findPaymentBySession(db, session.id)) ?? (await readNamed(parts, session.metadata));
  if (payment === undefined) return parts.log.info({ session_id: session.id }, "event of a checkout that is not ours");
  await convergePayment(parts, payment.id, { sessionId: session.id });
}

/** A charge without a checkout; others get their checkout's event. */
async function convergeCharge(parts: OperatorDependencies, payment: Payment | null, intentId: string): Promise<void> {
  if (payment !== null && payment.saved_card_id !== null) await convergePayment(parts, payment.id, { intentId });
}

async function convergeIntent(
  parts: OperatorDependencies,
  reference: string | Stripe.PaymentIntent | null,
  aftermath: readonly Aftermath[],
): Promise<void> {
  const intentId = typeof reference === "string" ? reference : reference?.id;
  const payment = intentId === undefined ? null : await paymentOf(parts, intentId);
  const hint: ConvergeHint = { aftermath };
  if (payment !== null) await convergePayment(parts, payment.id, hint);
}

/** A refund's event may precede its payment's: then only Stripe knows the intent's payment. */
async function paymentOf(parts: OperatorDependencies, intentId: string): Promise<Payment | null> {
  const known = await findPaymentByIntent(parts.handle.db, intentId);
  if (known !== undefined) return known;
  const intent = await parts.stripe.paymentIntents.retrieve(intentId);
  const named = await readNamed(parts, intent.metadata);
  if (named === undefined) parts.log.info({ payment_intent_id: intentId }, "event of a payment that is not ours");
  return named ?? null;
}

async function readNamed(parts: OperatorDependencies, metadata: Stripe.Metadata | null): Promise<Payment | undefined> {
  const paymentId = metadata?.["payment_id"] ?? "";
  return UUID.test(paymentId) ? readPayment(parts.handle.db, paymentId) : undefined;
}
