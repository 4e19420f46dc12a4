import type Stripe from "stripe";
import type { BillingParts } from "./billing-parts.ts";
import { convergePayment } from "./converge-payment.ts";
import { findPaymentByIntent, findPaymentBySession, readPayment, type Payment } from "./payment.store.ts";
import { finishEvent, receiveEvent } from "./stripe-event.store.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Works on a verified event. It only says where to look; what happened is read from Stripe. Done events are
 * remembered, which spares work; correctness rests on `convergePayment` alone.
 * @throws whatever went wrong: the route then answers 5xx and Stripe delivers again
 */
export async function handleStripeEvent(parts: BillingParts, event: Stripe.Event): Promise<void> {
  const { db } = parts.handle;
  const done = await receiveEvent(db, { id: event.id, type: event.type, now: parts.clock.now() });
  if (done) return;
  const about = await findPayment(parts, event);
  if (about !== null) await convergePayment(parts, about.payment.id, about.hint);
  await finishEvent(db, event.id, parts.clock.now());
}

interface About {
  payment: Payment;
  hint?: { sessionId: string };
}

async function findPayment(parts: BillingParts, event: Stripe.Event): Promise<About | null> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return bySession(parts, event.data.object);
    case "charge.refunded":
    case "charge.refund.updated":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return byIntent(parts, event.data.object.payment_intent);
    default:
      return null;
  }
}

async function bySession(parts: BillingParts, session: Stripe.Checkout.Session): Promise<About | null> {
  const { db } = parts.handle;
  const payment = (await findPaymentBySession(db, session.id)) ?? (await readNamed(parts, session.metadata));
  if (payment === undefined) {
    parts.log.info({ session_id: session.id }, "event of a checkout that is not ours");
    return null;
  }
  return { payment, hint: { sessionId: session.id } };
}

/** A refund may be heard of before its payment: then only Stripe knows which payment the intent belongs to. */
async function byIntent(parts: BillingParts, reference: string | Stripe.PaymentIntent | null): Promise<About | null> {
  const intentId = typeof reference === "string" ? reference : reference?.id;
  if (intentId === undefined) return null;
  const known = await findPaymentByIntent(parts.handle.db, intentId);
  if (known !== undefined) return { payment: known };
  const intent = await parts.stripe.paymentIntents.retrieve(intentId);
  const named = await readNamed(parts, intent.metadata);
  if (named !== undefined) return { payment: named };
  parts.log.info({ payment_intent_id: intentId }, "event of a payment that is not ours");
  return null;
}

async function readNamed(parts: BillingParts, metadata: Stripe.Metadata | null): Promise<Payment | undefined> {
  const paymentId = metadata?.["payment_id"] ?? "";
  return UUID.test(paymentId) ? readPayment(parts.handle.db, paymentId) : undefined;
}
