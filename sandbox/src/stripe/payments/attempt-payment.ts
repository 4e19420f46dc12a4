import type Stripe from "stripe";
import { AUTHENTICATION_REQUIRED, authoriseCard } from "../cards/authorise-card.ts";
import type { Decline } from "../cards/test-cards.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { addBalanceTransaction, chargeFee } from "./balance-transaction.ts";
import { buildCharge } from "./build-charge.ts";
import { challengeAction } from "./build-intent.ts";
import { buildCardError } from "./card-declined.ts";
import { attachToCustomer, savePaymentMethod, type StoredMethod } from "./payment-method.ts";

/** An attempt to pay an intent with a card. */
interface PaymentAttempt {
  /** Locked. Changed in place and saved. */
  intent: Stripe.PaymentIntent;
  method: StoredMethod;
  /** True if the cardholder is not present. */
  offSession: boolean;
  /** True if the cardholder has just confirmed. */
  authenticated: boolean;
  /** Whether to decline a card that needs confirmation. */
  refusesChallenge: boolean;
  /** Where the cardholder returns to after confirming; null for a Checkout session. */
  returnUrl: string | null;
  publicUrl: string;
}

export type PaymentOutcome =
  | { kind: "paid"; charge: Stripe.Charge }
  | { kind: "challenge"; url: string }
  | { kind: "declined"; decline: Decline; chargeId: string | null };

/** Charges the card, and stores the charge, the intent's state and the events. */
export async function attemptPayment(tx: Tx, cause: Cause, attempt: PaymentAttempt): Promise<PaymentOutcome> {
  const { method, offSession, authenticated } = attempt;
  const decision = authoriseCard({ card: method.card, purpose: "charge", offSession, authenticated, saved: method.saved });
  if (decision.kind === "approved") return pay(tx, cause, attempt);
  if (decision.kind === "challenge" && !attempt.refusesChallenge) return challenge(tx, cause, attempt);
  const decline = decision.kind === "declined" ? decision.decline : AUTHENTICATION_REQUIRED;
  const reachedBank = decision.kind === "declined";
  const charge = reachedBank ? await insertCharge(tx, cause, attempt, decline) : null;
  if (charge) await recordEvent(tx, cause, "charge.failed", { object: charge });
  await failPayment(tx, cause, attempt.intent, { decline, method: method.data, chargeId: charge?.id ?? null });
  return { kind: "declined", decline, chargeId: charge?.id ?? null };
}

async function pay(tx: Tx, cause: Cause, attempt: PaymentAttempt): Promise<PaymentOutcome> {
  const { intent, method } = attempt;
  const charge = await insertCharge(tx, cause, attempt, null);
  Object.assign(intent, {
    status: "succeeded",
    amount_received: intent.amount,
    latest_charge: charge.id,
    payment_method: method.data.id,
    last_payment_error: null,
    next_action: null,
  });
  await updateObject(tx, intent);
  await attachOrSpend(tx, cause, intent, method);
  await recordEvent(tx, cause, "charge.succeeded", { object: charge });
  await recordEvent(tx, cause, "payment_intent.succeeded", { object: intent });
  return { kind: "paid", charge };
}

/** Attaches a card that will be reused to the customer; a card without a customer is single-use. */
async function attachOrSpend(tx: Tx, cause: Cause, intent: Stripe.PaymentIntent, method: StoredMethod): Promise<void> {
  const { customer, setup_future_usage: usage } = intent;
  if (usage !== null && typeof customer === "string")
    await attachToCustomer(tx, cause, { ...method, saved: method.saved || usage === "off_session" }, customer);
  else if (method.data.customer === null) await savePaymentMethod(tx, { ...method, spent: true });
}

async function challenge(tx: Tx, cause: Cause, attempt: PaymentAttempt): Promise<PaymentOutcome> {
  const { intent } = attempt;
  const action = challengeAction(intent.id, attempt.publicUrl, attempt.returnUrl);
  Object.assign(intent, { status: "requires_action", payment_method: attempt.method.data.id, next_action: action });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.requires_action", { object: intent });
  return { kind: "challenge", url: action.redirect_to_url.url };
}

/** Records a failed attempt; the intent then requires another card. */
export async function failPayment(
  tx: Tx,
  cause: Cause,
  intent: Stripe.PaymentIntent,
  why: { decline: Decline; method: Stripe.PaymentMethod; chargeId: string | null },
): Promise<void> {
  Object.assign(intent, {
    status: "requires_payment_method",
    payment_method: null,
    next_action: null,
    last_payment_error: buildCardError(why.decline, { charge: why.chargeId, method: why.method }),
  });
  if (why.chargeId !== null) intent.latest_charge = why.chargeId;
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.payment_failed", { object: intent });
}

async function insertCharge(
  tx: Tx,
  cause: Cause,
  { intent, method, authenticated, publicUrl }: PaymentAttempt,
  decline: Decline | null,
): Promise<Stripe.Charge> {
  const facts = {
    created: seconds(cause),
    publicUrl,
    method: method.data,
    paidWith: { card: method.card, authenticated },
    decline,
  };
  const charge = buildCharge(intent, facts);
  if (charge.paid) {
    const { amount, currency, description } = charge;
    const movement = { type: "charge", amount, fee: chargeFee(amount), currency, source: charge.id, description } as const;
    charge.balance_transaction = (await addBalanceTransaction(tx, cause, movement)).id;
  }
  await insertObject(tx, charge);
  return charge;
}
