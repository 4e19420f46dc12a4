import type Stripe from "stripe";
import type { Decline } from "../cards/test-cards.ts";

export const AUTHENTICATION_FAILED: Decline = {
  code: "payment_intent_authentication_failure",
  declineCode: null,
  message: "Your bank could not confirm that it is you. Try again, or use a different card.",
};

export const SETUP_AUTHENTICATION_FAILED: Decline = {
  ...AUTHENTICATION_FAILED,
  code: "setup_intent_authentication_failure",
};

/** An intent's last error; payments and setups have the same format. */
export function buildCardError(decline: Decline, facts: { charge: string | null; method: Stripe.PaymentMethod }) {
  return {
    ...(facts.charge !== null && { charge: facts.charge }),
    code: decline.code,
    ...(decline.declineCode !== null && { decline_code: decline.declineCode }),
    message: decline.message,
    payment_method: facts.method,
    type: "card_error" as const,
  };
}
