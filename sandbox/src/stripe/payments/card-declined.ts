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
