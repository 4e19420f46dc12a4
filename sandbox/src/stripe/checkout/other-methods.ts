import type Stripe from "stripe";
import { z } from "zod";
import { StripeApiError } from "../api/stripe-error.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { addBalanceTransaction, chargeFee } from "../payments/balance-transaction.ts";
import { buildCharge } from "../payments/build-charge.ts";
import { buildOtherMethod } from "../payments/build-payment-method.ts";
import { loadPaymentIntent } from "../payments/payment-intent.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { completeSession, loadSession } from "./checkout-session.ts";
import { intentOf } from "./pay-session.ts";

/** Payment methods other than cards. `pending` is the intent's status until someone settles the payment in the control panel. */
export const otherMethods = {
  paypal: { title: "PayPal", description: "Pays at once.", pending: null },
  sepa_debit: {
    title: "SEPA Direct Debit",
    description: "A bank debit that succeeds or fails days later.",
    pending: "processing",
  },
  oxxo: { title: "OXXO voucher", description: "Paid in cash at a shop, or not at all.", pending: "requires_action" },
} as const;
export const otherMethod = z.enum(["paypal", "sepa_debit", "oxxo"]);
export type OtherMethod = z.output<typeof otherMethod>;

/** Vouchers are paid in cash, so there is no account to refund (docs.stripe.com/payments/oxxo). */
export const NOT_REFUNDABLE: readonly string[] = ["oxxo"] satisfies OtherMethod[];

const SEPA_DETAILS = { last4: "3000", fingerprint: "sepa-3000" };

/** Sessions that do not restrict the payment methods accept all of them. */
export function acceptsOtherMethods(session: Stripe.Checkout.Session): boolean {
  return session.mode === "payment" && session.allowed_payment_method_types === null;
}

/** Pays an open session; one that is not open stays as it is. @throws StripeApiError if the session accepts only cards */
export async function payWithOtherMethod(
  tx: Tx,
  cause: Cause,
  payment: { sessionId: string; type: OtherMethod; publicUrl: string },
): Promise<Stripe.Checkout.Session> {
  const { type, publicUrl } = payment;
  const loaded = await loadSession(tx, cause, payment.sessionId);
  const { session } = loaded;
  if (session.status !== "open") return session;
  if (!acceptsOtherMethods(session)) throw new StripeApiError(400, "This Checkout Session takes only cards.");
  const intent = await intentOf(tx, cause, loaded);
  const method = buildOtherMethod(type, seconds(cause));
  await insertObject(tx, method);
  intent.payment_method = method.id;
  const { pending } = otherMethods[type];
  if (pending === null) {
    await receiveMoney(tx, cause, { intent, type, publicUrl });
    await completeSession(tx, cause, session);
    return session;
  }
  intent.status = pending;
  await updateObject(tx, intent);
  await recordEvent(tx, cause, `payment_intent.${pending}`, { object: intent });
  await completeSession(tx, cause, session, "unpaid");
  return session;
}

/** Lets a pending payment succeed or fail. @throws StripeApiError if the session has no pending payment */
export async function settleDelayedPayment(
  tx: Tx,
  cause: Cause,
  settlement: { sessionId: string; succeeds: boolean; publicUrl: string },
): Promise<Stripe.Checkout.Session> {
  const { session } = await loadSession(tx, cause, settlement.sessionId);
  if (session.status !== "complete" || session.payment_status !== "unpaid" || typeof session.payment_intent !== "string")
    throw new StripeApiError(400, "This Checkout Session has no pending payment.");
  const { intent } = await loadPaymentIntent(tx, session.payment_intent);
  if (intent.status === "requires_payment_method") throw new StripeApiError(400, "This payment has already failed.");
  if (settlement.succeeds) {
    const type = intent.status === "processing" ? "sepa_debit" : "oxxo";
    await receiveMoney(tx, cause, { intent, type, publicUrl: settlement.publicUrl });
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
  { intent, type, publicUrl }: { intent: Stripe.PaymentIntent; type: OtherMethod; publicUrl: string },
): Promise<void> {
  const method = buildOtherMethod(type, seconds(cause));
  const details = { type, [type]: type === "sepa_debit" ? SEPA_DETAILS : {} };
  const charge = buildCharge(intent, { created: seconds(cause), publicUrl, method, paidWith: details, decline: null });
  charge.payment_method = intent.payment_method as string;
  const { amount, currency, description } = charge;
  const movement = { type: "charge", amount, fee: chargeFee(amount), currency, source: charge.id, description } as const;
  charge.balance_transaction = (await addBalanceTransaction(tx, cause, movement)).id;
  await insertObject(tx, charge);
  Object.assign(intent, { status: "succeeded", amount_received: intent.amount, latest_charge: charge.id, next_action: null });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "charge.succeeded", { object: charge });
  await recordEvent(tx, cause, "payment_intent.succeeded", { object: intent });
}
