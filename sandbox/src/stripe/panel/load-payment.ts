import type Stripe from "stripe";
import { noSuch, StripeApiError } from "../api/stripe-error.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { kindOf } from "../store/stripe-id.ts";

/** Locks the charge of a payment, given the id of its charge, payment intent or Checkout session. @throws StripeApiError if none exists */
export async function loadPayment(tx: Tx, reference: string): Promise<Stripe.Charge> {
  const chargeId = await chargeIdOf(tx, reference);
  const found = chargeId === null ? null : await findObject<Stripe.Charge>(tx, "charge", chargeId, true);
  if (!found) throw noSuch("payment", reference);
  return found.data;
}

async function chargeIdOf(tx: Tx, reference: string): Promise<string | null> {
  switch (kindOf(reference)) {
    case "charge":
      return reference;
    case "payment_intent":
      return (await intentOf(tx, reference)).latest_charge as string | null;
    case "checkout.session": {
      const session = await findObject<Stripe.Checkout.Session>(tx, "checkout.session", reference);
      if (!session) throw noSuch("payment", reference);
      if (typeof session.data.payment_intent !== "string")
        throw new StripeApiError(400, "Nobody has tried to pay this session yet.");
      return (await intentOf(tx, session.data.payment_intent)).latest_charge as string | null;
    }
    default:
      return null;
  }
}

async function intentOf(tx: Tx, id: string): Promise<Stripe.PaymentIntent> {
  const intent = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", id);
  if (!intent) throw noSuch("payment", id);
  return intent.data;
}
