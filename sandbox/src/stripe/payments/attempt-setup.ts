import type Stripe from "stripe";
import { judgeCard } from "../cards/judge-card.ts";
import type { Decline } from "../cards/test-cards.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../store/schema.ts";
import { challengeAction } from "./build-intent.ts";
import { buildSetupAttempt } from "./build-setup-attempt.ts";
import { buildCardError } from "./payment-error.ts";
import { giveToCustomer, savePaymentMethod, type StoredMethod } from "./payment-method.ts";

/** One try to save a card. */
export interface SetupAttempt {
  /** Locked. Changed in place and saved. */
  intent: Stripe.SetupIntent;
  method: StoredMethod;
  /** True when the card's holder has just confirmed at the bank. */
  authenticated: boolean;
  /** Where the holder goes after the bank's question; null when a page of ours knows. */
  returnUrl: string | null;
  publicUrl: string;
}

export type SetupOutcome = { kind: "saved" } | { kind: "challenge"; url: string } | { kind: "declined"; decline: Decline };

/** Asks the bank whether the card may be kept, and writes down what comes of it. */
export async function attemptSetup(tx: Tx, cause: Cause, attempt: SetupAttempt): Promise<SetupOutcome> {
  const { intent, method, authenticated } = attempt;
  const verdict = judgeCard({ card: method.card, purpose: "setup", offSession: false, authenticated, saved: false });
  if (verdict.kind === "declined") {
    await failSetup(tx, cause, intent, { decline: verdict.decline, method: method.data });
    return verdict;
  }
  if (verdict.kind === "challenge") {
    const action = challengeAction(intent.id, attempt.publicUrl, attempt.returnUrl);
    Object.assign(intent, { status: "requires_action", payment_method: method.data.id, next_action: action });
    await updateObject(tx, intent);
    await recordEvent(tx, cause, "setup_intent.requires_action", { object: intent });
    return { kind: "challenge", url: action.redirect_to_url.url };
  }
  const made = buildSetupAttempt(intent, { method, authenticated, created: seconds(cause) });
  await insertObject(tx, made);
  Object.assign(intent, {
    status: "succeeded",
    payment_method: method.data.id,
    latest_attempt: made.id,
    last_setup_error: null,
    next_action: null,
  });
  await updateObject(tx, intent);
  const kept = { ...method, saved: method.saved || intent.usage === "off_session" };
  if (typeof intent.customer === "string") await giveToCustomer(tx, cause, kept, intent.customer);
  else await savePaymentMethod(tx, kept);
  await recordEvent(tx, cause, "setup_intent.succeeded", { object: intent });
  return { kind: "saved" };
}

/** Ends a try: the intent waits for another card. */
export async function failSetup(
  tx: Tx,
  cause: Cause,
  intent: Stripe.SetupIntent,
  why: { decline: Decline; method: Stripe.PaymentMethod },
): Promise<void> {
  Object.assign(intent, {
    status: "requires_payment_method",
    payment_method: null,
    next_action: null,
    last_setup_error: buildCardError(why.decline, { charge: null, method: why.method }),
  });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "setup_intent.setup_failed", { object: intent });
}
