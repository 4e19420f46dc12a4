import type Stripe from "stripe";
import { noSuch, StripeApiError } from "../api/stripe-error.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { buildSetupIntent } from "../payments/build-intent.ts";
import { loadCustomer } from "../payments/customer.ts";
import { dueSessions, findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { buildSession, type SessionHidden } from "./build-session.ts";
import { readLineItems } from "./line-items.ts";
import { readSessionParams } from "./session-params.ts";

type Session = Stripe.Checkout.Session;

export interface LoadedSession {
  session: Session;
  hidden: SessionHidden;
}

/** Creates a session. @throws StripeApiError for parameters that Stripe rejects */
export async function createSession(tx: Tx, cause: Cause, input: unknown, publicUrl: string): Promise<Session> {
  const nowSeconds = seconds(cause);
  const params = readSessionParams(input, nowSeconds);
  const customer = params.customer === undefined ? null : await loadCustomer(tx, params.customer, "customer");
  const items = await readLineItems(tx, params, nowSeconds);
  const { session, hidden } = buildSession(params, { nowSeconds, publicUrl, customer, items });
  if (session.mode === "setup") {
    const data = params.setup_intent_data;
    const facts = { customer: customer?.id ?? null, description: data?.description ?? null, metadata: data?.metadata ?? {} };
    const intent = buildSetupIntent({ ...facts, usage: "off_session" }, nowSeconds);
    session.setup_intent = intent.id;
    await insertObject(tx, intent, { sessionId: session.id });
    await recordEvent(tx, cause, "setup_intent.created", { object: intent });
  }
  await insertObject(tx, session, { ...hidden });
  return session;
}

/** Locks a session, and expires it if it is due. Null if it does not exist. */
export async function findSession(tx: Tx, cause: Cause, id: string): Promise<LoadedSession | null> {
  const found = await findObject<Session>(tx, "checkout.session", id, true);
  if (!found) return null;
  const due = found.data.status === "open" && found.data.expires_at <= seconds(cause);
  const session = due ? await markExpired(tx, cause, found.data) : found.data;
  return { session, hidden: found.hidden as unknown as SessionHidden };
}

/** Like `findSession`. @throws StripeApiError resource_missing */
export async function loadSession(tx: Tx, cause: Cause, id: string): Promise<LoadedSession> {
  const found = await findSession(tx, cause, id);
  if (!found) throw noSuch("checkout.session", id);
  return found;
}

/** Expires an open session on request. @throws StripeApiError if it is not open */
export async function expireSession(tx: Tx, cause: Cause, id: string): Promise<Session> {
  const { session } = await loadSession(tx, cause, id);
  if (session.status !== "open")
    throw new StripeApiError(
      400,
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  return markExpired(tx, cause, session);
}

export async function expireDueSessions(tx: Tx, cause: Cause): Promise<void> {
  for (const id of await dueSessions(tx, seconds(cause))) await findSession(tx, cause, id);
}

/** Completes a session after a payment, a payment that is still pending, or a saved card. */
export async function completeSession(tx: Tx, cause: Cause, session: Session, paid: "paid" | "unpaid" = "paid"): Promise<void> {
  const payment_status = session.mode === "payment" ? paid : "no_payment_required";
  Object.assign(session, { status: "complete", payment_status, url: null });
  await updateObject(tx, session);
  await recordEvent(tx, cause, "checkout.session.completed", { object: session });
}

/** The final redirect, with the session's id filled in. */
export function successUrl(session: Session): string {
  return (session.success_url ?? "/").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

async function markExpired(tx: Tx, cause: Cause, session: Session): Promise<Session> {
  Object.assign(session, { status: "expired", url: null });
  await updateObject(tx, session);
  await recordEvent(tx, cause, "checkout.session.expired", { object: session });
  return session;
}
