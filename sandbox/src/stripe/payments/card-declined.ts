import type Stripe from "stripe";
import { StripeApiError } from "../api/stripe-error.ts";
import type { Decline } from "../cards/test-cards.ts";

/** The objects that a card error contains. */
interface DeclineDetails {
  charge?: string | null;
  payment_intent?: unknown;
  setup_intent?: unknown;
  payment_method?: unknown;
  param?: string;
}

export const AUTHENTICATION_FAILED: Decline = {
  code: "payment_intent_authentication_failure",
  declineCode: null,
  message: "Your bank could not confirm that it is you. Try again, or use a different card.",
};

export const SETUP_AUTHENTICATION_FAILED: Decline = {
  ...AUTHENTICATION_FAILED,
  code: "setup_intent_authentication_failure",
};

/** The bank declined. Unlike other errors, this does not roll back: the failed charge, the intent's state and the events stay. */
export class CardDeclined extends StripeApiError {
  readonly #decline: Decline;
  readonly #details: DeclineDetails;

  constructor(decline: Decline, details: DeclineDetails = {}) {
    super(402, decline.message, { type: "card_error", code: decline.code });
    this.#decline = decline;
    this.#details = details;
  }

  override body(): { error: Record<string, unknown> } {
    const { declineCode } = this.#decline;
    const details = Object.fromEntries(
      Object.entries(this.#details).filter(([, value]) => value !== null && value !== undefined),
    );
    return { error: { ...super.body().error, ...(declineCode !== null && { decline_code: declineCode }), ...details } };
  }
}

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
