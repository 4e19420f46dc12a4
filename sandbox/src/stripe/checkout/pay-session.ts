import type Stripe from "stripe";
import type { CardEntry } from "../cards/card-form.ts";
import type { Decline } from "../cards/test-cards.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { applyCardOutcome } from "../payments/dispute.ts";
import { attemptPayment } from "../payments/attempt-payment.ts";
import { attemptSetup } from "../payments/attempt-setup.ts";
import { buildPaymentIntent } from "../payments/build-intent.ts";
import { createCustomer } from "../payments/customer.ts";
import { loadPaymentIntent } from "../payments/payment-intent.ts";
import { checkUsable, insertPaymentMethod, loadPaymentMethod, type StoredMethod } from "../payments/payment-method.ts";
import { loadSetupIntent } from "../payments/setup-intent.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { customerDetails } from "./build-session.ts";
import { completeSession, type LoadedSession, loadSession } from "./checkout-session.ts";

type Session = Stripe.Checkout.Session;

export type PayOutcome =
  | { kind: "done" | "already_done" | "expired"; session: Session }
  | { kind: "challenge"; session: Session; url: string }
  | { kind: "declined"; session: Session; decline: Decline };

interface SessionPayment {
  sessionId: string;
  /** Entered on the page, or an existing payment method. */
  card: CardEntry | { methodId: string };
  publicUrl: string;
}

/** An attempt to pay a session, or to save a card with it. */
interface SessionAttempt {
  method: StoredMethod;
  authenticated: boolean;
  publicUrl: string;
}

/** Pays a session. Its row is locked, so that repeated and concurrent attempts charge once. After a decline it stays open. */
export async function paySession(tx: Tx, cause: Cause, payment: SessionPayment): Promise<PayOutcome> {
  const { sessionId, card, publicUrl } = payment;
  const loaded = await loadSession(tx, cause, sessionId);
  const { session } = loaded;
  if (session.status === "complete") return { kind: "already_done", session };
  if (session.status !== "open") return { kind: "expired", session };
  const method =
    "methodId" in card ? await loadPaymentMethod(tx, cause, card.methodId) : await insertPaymentMethod(tx, cause, card);
  checkUsable(method, session.customer as string | null);
  const { email, name, address } = method.data.billing_details;
  session.customer_details = customerDetails({ email: email ?? session.customer_details?.email ?? null, name, address });
  await ensureCustomer(tx, cause, loaded);
  return attemptSession(tx, cause, loaded, { method, authenticated: false, publicUrl });
}

/** Charges or saves the card and, if the bank approves, completes the session. */
export async function attemptSession(
  tx: Tx,
  cause: Cause,
  { session, hidden }: LoadedSession,
  attempt: SessionAttempt,
): Promise<PayOutcome> {
  const common = { ...attempt, returnUrl: null };
  if (session.mode === "setup") {
    const { intent } = await loadSetupIntent(tx, session.setup_intent as string);
    intent.customer = session.customer;
    const outcome = await attemptSetup(tx, cause, { ...common, intent });
    if (outcome.kind === "saved") {
      await completeSession(tx, cause, session);
      return { kind: "done", session };
    }
    await updateObject(tx, session);
    return { ...outcome, session };
  }
  const intent = await intentOf(tx, cause, { session, hidden });
  const outcome = await attemptPayment(tx, cause, { ...common, intent, offSession: false, refusesChallenge: false });
  if (outcome.kind === "paid") {
    await completeSession(tx, cause, session);
    await applyCardOutcome(tx, cause, outcome.charge, attempt.method.card);
    return { kind: "done", session };
  }
  await updateObject(tx, session);
  return { ...outcome, session };
}

/** Returns the session's intent, which is created at the first attempt, as Stripe does. */
export async function intentOf(tx: Tx, cause: Cause, { session, hidden }: LoadedSession): Promise<Stripe.PaymentIntent> {
  if (typeof session.payment_intent === "string") return (await loadPaymentIntent(tx, session.payment_intent)).intent;
  const facts = {
    ...hidden.intent,
    shipping: hidden.intent.shipping ?? null,
    amount: session.amount_total ?? 0,
    currency: session.currency ?? "usd",
    customer: session.customer as string | null,
  };
  const intent = buildPaymentIntent(facts, seconds(cause));
  session.payment_intent = intent.id;
  await insertObject(tx, intent, { sessionId: session.id });
  await recordEvent(tx, cause, "payment_intent.created", { object: intent });
  return intent;
}

/** Creates a customer if the shop requests one or the card will be saved. */
async function ensureCustomer(tx: Tx, cause: Cause, { session, hidden }: LoadedSession): Promise<void> {
  if (session.customer !== null) return;
  if (session.customer_creation !== "always" && hidden.intent.setupFutureUsage === null) return;
  const { email, name } = session.customer_details ?? {};
  const customer = await createCustomer(tx, cause, { ...(email && { email }), ...(name && { name }) });
  session.customer = customer.id;
}
