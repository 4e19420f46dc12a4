import type Stripe from "stripe";
import { newId } from "../store/stripe-id.ts";
import { authentication } from "./build-charge.ts";
import { checksOf } from "./build-payment-method.ts";
import type { StoredMethod } from "./payment-method.ts";

/** A successful attempt to save a card, which records whether the cardholder confirmed. */
export function buildSetupAttempt(
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
