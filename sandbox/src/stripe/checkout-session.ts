import type Stripe from "stripe";
import { buildSession, customerDetails, type SessionHidden } from "./build-session.ts";
import { buildCharge, buildPaymentError, buildPaymentIntent, buildPaymentMethod, type CardEntry } from "./build-payment.ts";
import { dueSessions, findObject, insertObject, updateObject } from "./object.store.ts";
import type { Tx } from "./schema.ts";
import { readSessionParams } from "./session-params.ts";
import { noSuch, StripeApiError } from "./stripe-error.ts";
import { recordEvent, seconds, type Cause } from "./stripe-event.ts";
import type { Decline } from "./test-cards.ts";

type Session = Stripe.Checkout.Session;

/** Opens a session. @throws StripeApiError for parameters that Stripe refuses. */
export async function createSession(tx: Tx, cause: Cause, input: unknown, publicUrl: string): Promise<Session> {
  const params = readSessionParams(input, seconds(cause));
  const customer = params.customer === undefined ? null : await findObject<Stripe.Customer>(tx, "customer", params.customer);
  if (params.customer !== undefined && !customer) throw noSuch("customer", params.customer, "customer");
  const { session, hidden } = buildSession(params, { nowSeconds: seconds(cause), publicUrl, customer: customer?.data ?? null });
  await insertObject(tx, session, { ...hidden });
  return session;
}

/** The session as it is now: expired, if its time is over. Locked until the transaction ends. */
export async function loadSession(tx: Tx, cause: Cause, id: string): Promise<{ session: Session; hidden: SessionHidden } | null> {
  const found = await findObject<Session>(tx, "checkout.session", id, true);
  if (!found) return null;
  const due = found.data.status === "open" && found.data.expires_at <= seconds(cause);
  const session = due ? await markExpired(tx, cause, found.data) : found.data;
  return { session, hidden: found.hidden as unknown as SessionHidden };
}

/** Closes an open session by request. @throws StripeApiError when it is not open. */
export async function expireSession(tx: Tx, cause: Cause, id: string): Promise<Session> {
  const found = await loadSession(tx, cause, id);
  if (!found) throw noSuch("checkout.session", id);
  if (found.session.status !== "open")
    throw new StripeApiError(
      400,
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${found.session.status}\`.`,
    );
  return markExpired(tx, cause, found.session);
}

/** Expires what is due. @returns how many. */
export async function expireDueSessions(tx: Tx, cause: Cause): Promise<number> {
  const ids = await dueSessions(tx, seconds(cause));
  for (const id of ids) await loadSession(tx, cause, id);
  return ids.length;
}

export type PayOutcome =
  | { kind: "paid" | "already_paid" | "expired"; session: Session }
  | { kind: "declined"; session: Session; decline: Decline };

/**
 * The person presses Pay. A second press, or two at once, pays once: the session's row is locked, and a session that is paid
 * stays as it is. A declined card leaves it open for another one.
 */
export async function paySession(
  tx: Tx,
  cause: Cause,
  payment: { sessionId: string; entry: CardEntry; publicUrl: string },
): Promise<PayOutcome> {
  const { sessionId: id, entry, publicUrl } = payment;
  const found = await loadSession(tx, cause, id);
  if (!found) throw noSuch("checkout.session", id);
  const { session, hidden } = found;
  if (session.status === "complete") return { kind: "already_paid", session };
  if (session.status !== "open") return { kind: "expired", session };
  const intent = await intentOf(tx, cause, session, hidden);
  const method = buildPaymentMethod(entry, seconds(cause));
  const charge = buildCharge(intent, entry, { created: seconds(cause), publicUrl, paymentMethod: method.id });
  await insertObject(tx, method);
  await insertObject(tx, charge);
  const email = entry.email ?? session.customer_details?.email ?? "";
  session.customer_details = customerDetails(email, entry.name);
  const { decline } = entry.card;
  if (decline) {
    Object.assign(intent, { latest_charge: charge.id, last_payment_error: buildPaymentError(entry.card, charge.id, method) });
    await save(tx, intent, session);
    await recordEvent(tx, cause, "charge.failed", charge);
    await recordEvent(tx, cause, "payment_intent.payment_failed", intent);
    return { kind: "declined", session, decline };
  }
  const paid = {
    status: "succeeded",
    amount_received: intent.amount,
    latest_charge: charge.id,
    payment_method: method.id,
  } as const;
  Object.assign(intent, paid, { last_payment_error: null });
  Object.assign(session, { status: "complete", payment_status: "paid", url: null });
  await save(tx, intent, session);
  await recordEvent(tx, cause, "charge.succeeded", charge);
  await recordEvent(tx, cause, "payment_intent.succeeded", intent);
  await recordEvent(tx, cause, "checkout.session.completed", session);
  return { kind: "paid", session };
}

/** The address the person is sent to after paying, with the session's id filled in. */
export function successUrl(session: Session): string {
  return (session.success_url ?? "/").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

/** The intent is made at the first attempt and kept for the next ones, as Stripe does. */
async function intentOf(tx: Tx, cause: Cause, session: Session, hidden: SessionHidden): Promise<Stripe.PaymentIntent> {
  if (typeof session.payment_intent === "string") {
    const known = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", session.payment_intent, true);
    if (known) return known.data;
  }
  const intent = buildPaymentIntent(session, hidden, seconds(cause));
  session.payment_intent = intent.id;
  await insertObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.created", intent);
  return intent;
}

async function markExpired(tx: Tx, cause: Cause, session: Session): Promise<Session> {
  Object.assign(session, { status: "expired", url: null });
  await updateObject(tx, session);
  await recordEvent(tx, cause, "checkout.session.expired", session);
  return session;
}

async function save(tx: Tx, intent: Stripe.PaymentIntent, session: Session): Promise<void> {
  await updateObject(tx, intent);
  await updateObject(tx, session);
}
