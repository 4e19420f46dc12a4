import { StripeApiError } from "../api/stripe-error.ts";
import type { Decline } from "../cards/test-cards.ts";

/** What a card error carries besides its words: the objects it is about. */
export interface RefusalDetails {
  charge?: string | null;
  payment_intent?: unknown;
  setup_intent?: unknown;
  payment_method?: unknown;
  param?: string;
}

/** The bank said no. Unlike other errors, what was done until then stays: the failed charge, the intent's state, the events. */
export class CardRefused extends StripeApiError {
  readonly #decline: Decline;
  readonly #details: RefusalDetails;

  constructor(decline: Decline, details: RefusalDetails = {}) {
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
