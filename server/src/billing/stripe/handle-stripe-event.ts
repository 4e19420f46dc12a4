import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { convergeSetupSession } from "../cards/converge-card-setup.ts";
import { refreshCard } from "../cards/remove-card.ts";
import { convergePayment, type ConvergeHint } from "../payments/converge-payment.ts";
import { recordDeclines } from "../limits/card-testing.ts";
import { recoverPayment } from "../recovery/recover-payment.ts";
import { findPaymentByIntent, findPaymentBySession, readPayment, type Payment } from "../record/payment.store.ts";
import type { Reversal } from "../payments/read-checkout-state.ts";
import { finishEvent, receiveEvent } from "./stripe-event.store.ts";
import type { Context } from "../../context.ts";

/**
 * Processes a verified event. It is only a hint what to read from Stripe. Storing processed events saves work, but correctness depends
 * only on `convergePayment`.
 * @throws any failure, so that the route returns 5xx and Stripe redelivers
 */
export async function handleStripeEvent(ctx: Context, event: Stripe.Event): Promise<void> {
  const { db } = ctx.handle;
  const done = await receiveEvent(db, { id: event.id, type: event.type, now: ctx.clock.now() });
  if (done) return;
  await dispatchEvent(ctx, event);
  await finishEvent(db, event.id, ctx.clock.now());
}

/** Converges the checkout or payment that an event is about. Ignores other events. */
async function dispatchEvent(ctx: Context, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return convergeSession(ctx, event.data.object);
    case "payment_intent.payment_failed": {
      const payment = await paymentOf(ctx, event.data.object.id);
      if (payment === null) return;
      await recordDeclines(ctx, payment, event.data.object.id);
      // Even if its checkout stays open, because pages show the decline.
      await convergePayment(ctx, payment.id, payment.saved_card_id === null ? {} : { intentId: event.data.object.id });
      return;
    }
    case "payment_intent.succeeded":
    case "payment_intent.canceled":
      return convergeCharge(ctx, await paymentOf(ctx, event.data.object.id), event.data.object.id);
    case "payment_method.updated":
    case "payment_method.automatically_updated":
    case "payment_method.detached":
      return refreshCard(ctx, event.data.object.id);
    case "charge.refunded":
    case "charge.refund.updated":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return convergeIntent(ctx, event.data.object.payment_intent, ["refunds"]);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
      return convergeIntent(ctx, event.data.object.payment_intent, ["disputes"]);
    case "radar.early_fraud_warning.created":
    case "radar.early_fraud_warning.updated":
      return convergeIntent(ctx, event.data.object.payment_intent ?? null, ["warnings"]);
    default:
  }
}

async function convergeSession(ctx: Context, session: Stripe.Checkout.Session): Promise<void> {
  if (session.mode === "setup") return convergeSetupSession(ctx, session);
  const { db } = ctx.handle;
  const payment =
    (await findPaymentBySession(db, session.id)) ??
    (await readNamed(ctx, session.metadata)) ??
    (await recoverPaymentOf(ctx, session.payment_intent));
  if (payment === null) return ctx.log.info({ session_id: session.id }, "event for an unknown checkout");
  await convergePayment(ctx, payment.id, { sessionId: session.id });
}

/** Converges a charge without a checkout. Other charges get their checkout's event. */
async function convergeCharge(ctx: Context, payment: Payment | null, intentId: string): Promise<void> {
  if (payment !== null && payment.saved_card_id !== null) await convergePayment(ctx, payment.id, { intentId });
}

async function convergeIntent(
  ctx: Context,
  reference: string | Stripe.PaymentIntent | null,
  reversals: readonly Reversal[],
): Promise<void> {
  const intentId = typeof reference === "string" ? reference : reference?.id;
  const payment = intentId === undefined ? null : await paymentOf(ctx, intentId);
  const hint: ConvergeHint = { reversals };
  if (payment !== null) await convergePayment(ctx, payment.id, hint);
}

/** A refund's event may arrive before its payment's. Then only Stripe knows the intent's payment. */
async function paymentOf(ctx: Context, intentId: string): Promise<Payment | null> {
  const known = await findPaymentByIntent(ctx.handle.db, intentId);
  if (known !== undefined) return known;
  const intent = await ctx.stripe.paymentIntents.retrieve(intentId);
  const named = (await readNamed(ctx, intent.metadata)) ?? (await recoverPaymentOf(ctx, intentId));
  if (named === null) ctx.log.info({ payment_intent_id: intentId }, "event for an unknown payment");
  return named;
}

/** A payment that a restored database has forgotten. */
async function recoverPaymentOf(ctx: Context, reference: string | Stripe.PaymentIntent | null): Promise<Payment | null> {
  const intentId = typeof reference === "string" ? reference : reference?.id;
  return intentId === undefined ? null : recoverPayment(ctx, intentId);
}

async function readNamed(ctx: Context, metadata: Stripe.Metadata | null): Promise<Payment | undefined> {
  const paymentId = metadata?.["payment_id"] ?? "";
  return isUuid(paymentId) ? readPayment(ctx.handle.db, paymentId) : undefined;
}
