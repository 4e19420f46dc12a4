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

type Handlers = {
  readonly [Type in Stripe.Event["type"]]?: (
    ctx: Context,
    object: Extract<Stripe.Event, { type: Type }>["data"]["object"],
  ) => Promise<void>;
};

const refunded = (ctx: Context, { payment_intent: intent }: Stripe.Charge | Stripe.Refund) =>
  convergeIntent(ctx, intent, ["refunds"]);
const disputed = (ctx: Context, { payment_intent: intent }: Stripe.Dispute) => convergeIntent(ctx, intent, ["disputes"]);
const warned = (ctx: Context, { payment_intent: intent }: Stripe.Radar.EarlyFraudWarning) =>
  convergeIntent(ctx, intent ?? null, ["warnings"]);
const charged = async (ctx: Context, { id }: Stripe.PaymentIntent) => convergeCharge(ctx, await paymentOf(ctx, id), id);
const changed = (ctx: Context, { id }: Stripe.PaymentMethod) => refreshCard(ctx, id);

/** By event, what converges the checkout or payment that it is about. Other events are ignored. */
const HANDLERS: Handlers = {
  "checkout.session.completed": convergeSession,
  "checkout.session.async_payment_succeeded": convergeSession,
  "checkout.session.async_payment_failed": convergeSession,
  "checkout.session.expired": convergeSession,
  "payment_intent.payment_failed": convergeDecline,
  "payment_intent.succeeded": charged,
  "payment_intent.canceled": charged,
  "payment_method.updated": changed,
  "payment_method.automatically_updated": changed,
  "payment_method.detached": changed,
  "charge.refunded": refunded,
  "charge.refund.updated": refunded,
  "refund.created": refunded,
  "refund.updated": refunded,
  "refund.failed": refunded,
  "charge.dispute.created": disputed,
  "charge.dispute.updated": disputed,
  "charge.dispute.closed": disputed,
  "charge.dispute.funds_withdrawn": disputed,
  "charge.dispute.funds_reinstated": disputed,
  "radar.early_fraud_warning.created": warned,
  "radar.early_fraud_warning.updated": warned,
};

/** The events that the provider must send. */
export const HANDLED_EVENTS: readonly string[] = Object.keys(HANDLERS);

async function dispatchEvent(ctx: Context, { type, data }: Stripe.Event): Promise<void> {
  if (!Object.hasOwn(HANDLERS, type)) return;
  await (HANDLERS[type] as (ctx: Context, object: unknown) => Promise<void>)(ctx, data.object);
}

async function convergeDecline(ctx: Context, { id: intentId }: Stripe.PaymentIntent): Promise<void> {
  const payment = await paymentOf(ctx, intentId);
  if (payment === null) return;
  await recordDeclines(ctx, payment, intentId);
  // Even if its checkout stays open, because pages show the decline.
  await convergePayment(ctx, payment.id, payment.saved_card_id === null ? {} : { intentId });
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
