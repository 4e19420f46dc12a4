import type Stripe from "stripe";
import { authoriseCard } from "../cards/authorise-card.ts";
import type { Decline } from "../cards/test-cards.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { challengeAction } from "./build-intent.ts";
import { buildCardError } from "./card-declined.ts";
import { attachToCustomer, savePaymentMethod, type StoredMethod } from "./payment-method.ts";
import { newId } from "../store/stripe-id.ts";
import { authentication } from "./build-charge.ts";
import { checksOf } from "./build-payment-method.ts";

/** An attempt to save a card. */
interface SetupAttempt {
  /** Locked. Changed in place and saved. */
  intent: Stripe.SetupIntent;
  method: StoredMethod;
  /** True if the cardholder has just confirmed. */
  authenticated: boolean;
  /** Where the cardholder returns to after confirming; null for a Checkout session. */
  returnUrl: string | null;
  publicUrl: string;
}

type SetupOutcome = { kind: "saved" } | { kind: "challenge"; url: string } | { kind: "declined"; decline: Decline };

/** Asks the bank whether the card may be saved, and stores the intent's state and the events. */
export async function attemptSetup(tx: Tx, cause: Cause, attempt: SetupAttempt): Promise<SetupOutcome> {
  const { intent, method, authenticated } = attempt;
  const decision = authoriseCard({ card: method.card, purpose: "setup", offSession: false, authenticated, saved: false });
  if (decision.kind === "declined") {
    await failSetup(tx, cause, intent, { decline: decision.decline, method: method.data });
    return decision;
  }
  if (decision.kind === "challenge") {
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
  if (typeof intent.customer === "string") await attachToCustomer(tx, cause, kept, intent.customer);
  else await savePaymentMethod(tx, kept);
  await recordEvent(tx, cause, "setup_intent.succeeded", { object: intent });
  return { kind: "saved" };
}

/** Records a failed attempt; the intent then requires another card. */
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

/** A successful attempt to save a card, which records whether the cardholder confirmed. */
function buildSetupAttempt(
  intent: Stripe.SetupIntent,
  facts: { method: StoredMethod; authenticated: boolean; created: number },
): Stripe.SetupAttempt {
  const { data, card } = facts.method;
  return {
    id: newId("setatt_1"),
    object: "setup_attempt",
    application: null,
    created: facts.created,
    customer: intent.customer,
    customer_account: null,
    flow_directions: null,
    livemode: false,
    on_behalf_of: null,
    payment_method: data.id,
    payment_method_details: {
      type: "card",
      card: {
        brand: card.brand,
        checks: checksOf(card, data.billing_details.address?.postal_code ?? null),
        country: "US",
        exp_month: data.card?.exp_month ?? 0,
        exp_year: data.card?.exp_year ?? 0,
        fingerprint: data.card?.fingerprint ?? null,
        funding: "credit",
        last4: card.number.slice(-4),
        network: card.brand,
        three_d_secure: facts.authenticated ? authentication() : null,
        wallet: null,
      },
    },
    setup_error: null,
    setup_intent: intent.id,
    status: "succeeded",
    usage: intent.usage,
  };
}
