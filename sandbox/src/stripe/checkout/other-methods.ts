import type Stripe from "stripe";
import { z } from "zod";
import { StripeApiError } from "../api/stripe-error.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { chargeFee, moveBalance } from "../payments/balance-transaction.ts";
import { buildCharge } from "../payments/build-charge.ts";
import { buildOtherMethod } from "../payments/build-payment-method.ts";
import { loadPaymentIntent } from "../payments/payment-intent.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../store/schema.ts";
import { completeSession, loadSession } from "./checkout-session.ts";
import { intentOf } from "./pay-session.ts";

/** Ways to pay without a card. Where the money comes `later`, a person decides on the control panel whether it does. */
export const otherWays = {
  paypal: { title: "PayPal", what: "Pays at once.", later: null },
  sepa_debit: { title: "SEPA Direct Debit", what: "A bank debit. The money comes, or fails, days later.", later: "processing" },
  oxxo: { title: "OXXO voucher", what: "Paid in cash at a shop, or not at all.", later: "requires_action" },
} as const;
export const otherWay = z.enum(["paypal", "sepa_debit", "oxxo"]);
export type OtherWay = z.output<typeof otherWay>;

/** Of vouchers nobody knows who paid (docs.stripe.com/payments/oxxo). */
export const NOT_REFUNDABLE: readonly string[] = ["oxxo"] satisfies OtherWay[];

const LAST_DIGITS = { sepa_debit: "3000" } as const;

/** Whether a session takes other ways than cards: when it does not say what it takes. */
export function takesOtherWays(session: Stripe.Checkout.Session): boolean {
  return session.mode === "payment" && session.allowed_payment_method_types === null;
}

/** The person chose another way than a card. A second press changes nothing. @throws StripeApiError when the session takes only cards */
export async function payOtherWay(
  tx: Tx,
  cause: Cause,
  wanted: { sessionId: string; way: OtherWay; publicUrl: string },
): Promise<Stripe.Checkout.Session> {
  const loaded = await loadSession(tx, cause, wanted.sessionId);
  const { session } = loaded;
  if (session.status !== "open") return session;
  if (!takesOtherWays(session)) throw new StripeApiError(400, "This Checkout Session takes only cards.");
  const intent = await intentOf(tx, cause, loaded);
  const method = buildOtherMethod(wanted.way, seconds(cause));
  await insertObject(tx, method);
  intent.payment_method = method.id;
  const { later } = otherWays[wanted.way];
  if (later === null) {
    await receiveMoney(tx, cause, { intent, way: wanted.way, publicUrl: wanted.publicUrl });
    await completeSession(tx, cause, session);
    return session;
  }
  intent.status = later;
  await updateObject(tx, intent);
  await recordEvent(tx, cause, later === "processing" ? "payment_intent.processing" : "payment_intent.requires_action", {
    object: intent,
  });
  await completeSession(tx, cause, session, "unpaid");
  return session;
}

/** The promised money comes, or it does not. @throws StripeApiError when the session does not wait for money */
export async function decideLaterPayment(
  tx: Tx,
  cause: Cause,
  decided: { sessionId: string; arrives: boolean; publicUrl: string },
): Promise<Stripe.Checkout.Session> {
  const { session } = await loadSession(tx, cause, decided.sessionId);
  if (session.status !== "complete" || session.payment_status !== "unpaid" || typeof session.payment_intent !== "string")
    throw new StripeApiError(400, "This Checkout Session does not wait for money.");
  const { intent } = await loadPaymentIntent(tx, session.payment_intent);
  if (intent.status === "requires_payment_method") throw new StripeApiError(400, "This payment has failed already.");
  if (decided.arrives) {
    const way = intent.status === "processing" ? "sepa_debit" : "oxxo";
    await receiveMoney(tx, cause, { intent, way, publicUrl: decided.publicUrl });
    session.payment_status = "paid";
    await updateObject(tx, session);
    await recordEvent(tx, cause, "checkout.session.async_payment_succeeded", { object: session });
    return session;
  }
  Object.assign(intent, { status: "requires_payment_method", payment_method: null });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.payment_failed", { object: intent });
  await recordEvent(tx, cause, "checkout.session.async_payment_failed", { object: session });
  return session;
}

async function receiveMoney(
  tx: Tx,
  cause: Cause,
  { intent, way, publicUrl }: { intent: Stripe.PaymentIntent; way: OtherWay; publicUrl: string },
): Promise<void> {
  const method = buildOtherMethod(way, seconds(cause));
  const details = { type: way, [way]: way === "sepa_debit" ? { last4: LAST_DIGITS.sepa_debit, fingerprint: "sepa-3000" } : {} };
  const charge = buildCharge(intent, { created: seconds(cause), publicUrl, method, paidWith: details, decline: null });
  charge.payment_method = intent.payment_method as string;
  const { amount, currency, description } = charge;
  const movement = { type: "charge", amount, fee: chargeFee(amount), currency, source: charge.id, description } as const;
  charge.balance_transaction = (await moveBalance(tx, cause, movement)).id;
  await insertObject(tx, charge);
  Object.assign(intent, { status: "succeeded", amount_received: intent.amount, latest_charge: charge.id, next_action: null });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "charge.succeeded", { object: charge });
  await recordEvent(tx, cause, "payment_intent.succeeded", { object: intent });
}
