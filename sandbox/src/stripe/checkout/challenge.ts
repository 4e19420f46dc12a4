import type Stripe from "stripe";
import { AUTHENTICATION_FAILED, SETUP_AUTHENTICATION_FAILED } from "../payments/card-declined.ts";
import { attemptPayment, failPayment } from "../payments/attempt-payment.ts";
import { attemptSetup, failSetup } from "../payments/attempt-setup.ts";
import { applyCardOutcome } from "../payments/dispute.ts";
import { loadPaymentIntent } from "../payments/payment-intent.ts";
import { loadPaymentMethod, type StoredMethod } from "../payments/payment-method.ts";
import { loadSetupIntent } from "../payments/setup-intent.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { kindOf } from "../store/stripe-id.ts";
import type { Cause } from "../events/stripe-event.ts";
import { type LoadedSession, loadSession } from "./checkout-session.ts";
import { attemptSession, type PayOutcome } from "./pay-session.ts";

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** The bank's request for the cardholder's confirmation (3-D Secure). */
export interface Challenge {
  intent: Intent;
  /** Null if the intent was created through the API. */
  loaded: LoadedSession | null;
  /** Null if no answer is pending. */
  method: StoredMethod | null;
}

export type ChallengeOutcome =
  | PayOutcome
  /** No challenge was pending. */
  | { kind: "stale"; session: Stripe.Checkout.Session }
  /** The intent was created through the API, with an address to return to. */
  | { kind: "returned"; intent: Intent; returnUrl: string | null };

/** Null for an unknown intent. Locks the session before its intent, like a payment. */
export async function findChallenge(tx: Tx, cause: Cause, intentId: string): Promise<Challenge | null> {
  const type = kindOf(intentId);
  if (type !== "payment_intent" && type !== "setup_intent") return null;
  const found = await findObject<Intent>(tx, type, intentId);
  if (!found) return null;
  const { sessionId } = found.hidden as { sessionId?: string };
  const loaded = sessionId === undefined ? null : await loadSession(tx, cause, sessionId);
  const { intent } = type === "payment_intent" ? await loadPaymentIntent(tx, intentId) : await loadSetupIntent(tx, intentId);
  const waits = intent.status === "requires_action" && (loaded === null || loaded.session.status === "open");
  const method = waits ? await loadPaymentMethod(tx, cause, intent.payment_method as string) : null;
  return { intent, loaded, method };
}

/** Applies the cardholder's answer. Null for an unknown intent. */
export async function answerChallenge(
  tx: Tx,
  cause: Cause,
  given: { intentId: string; confirmed: boolean; publicUrl: string },
): Promise<ChallengeOutcome | null> {
  const challenge = await findChallenge(tx, cause, given.intentId);
  if (!challenge) return null;
  const { intent, loaded, method } = challenge;
  if (loaded && !method) return closedOutcome(loaded.session);
  const returnUrl = intent.next_action?.redirect_to_url?.return_url ?? null;
  if (!method) return { kind: "returned", intent, returnUrl };
  if (!given.confirmed) {
    const decline = await failChallenge(tx, cause, intent, method);
    return loaded ? { kind: "declined", session: loaded.session, decline } : { kind: "returned", intent, returnUrl };
  }
  const attempt = { method, authenticated: true, publicUrl: given.publicUrl };
  if (loaded) return attemptSession(tx, cause, loaded, attempt);
  await finishIntent(tx, cause, intent, { ...attempt, returnUrl });
  return { kind: "returned", intent, returnUrl };
}

async function finishIntent(
  tx: Tx,
  cause: Cause,
  intent: Intent,
  attempt: { method: StoredMethod; authenticated: boolean; publicUrl: string; returnUrl: string | null },
): Promise<void> {
  if (intent.object === "setup_intent") {
    await attemptSetup(tx, cause, { ...attempt, intent });
    return;
  }
  const outcome = await attemptPayment(tx, cause, { ...attempt, intent, offSession: false, refusesChallenge: false });
  if (outcome.kind === "paid") await applyCardOutcome(tx, cause, outcome.charge, attempt.method.card);
}

async function failChallenge(tx: Tx, cause: Cause, intent: Intent, method: StoredMethod) {
  if (intent.object === "setup_intent") {
    await failSetup(tx, cause, intent, { decline: SETUP_AUTHENTICATION_FAILED, method: method.data });
    return SETUP_AUTHENTICATION_FAILED;
  }
  await failPayment(tx, cause, intent, { decline: AUTHENTICATION_FAILED, method: method.data, chargeId: null });
  return AUTHENTICATION_FAILED;
}

function closedOutcome(session: Stripe.Checkout.Session): ChallengeOutcome {
  if (session.status === "complete") return { kind: "already_done", session };
  return { kind: session.status === "open" ? "stale" : "expired", session };
}
