import type { Decline, TestCard } from "./test-cards.ts";

/** How a card is presented to its bank. */
export interface Presentation {
  card: TestCard;
  purpose: "charge" | "setup";
  /** True when its holder is not there to be asked. */
  offSession: boolean;
  /** True when its holder has just confirmed. */
  authenticated: boolean;
  /** True when it was saved with its holder's confirmation for payments without them. */
  saved: boolean;
}

export type Verdict = { kind: "approved" } | { kind: "challenge" } | { kind: "declined"; decline: Decline };

export const AUTHENTICATION_REQUIRED: Decline = {
  code: "authentication_required",
  declineCode: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/** The bank's decision for a test card (docs.stripe.com/testing). */
export function judgeCard({ card, purpose, offSession, authenticated, saved }: Presentation): Verdict {
  const known = card.challenge === "until_saved" && saved && purpose === "charge";
  if (card.challenge !== "never" && !authenticated && !known)
    return offSession ? { kind: "declined", decline: AUTHENTICATION_REQUIRED } : { kind: "challenge" };
  if (card.decline !== null && !(purpose === "setup" && card.savable)) return { kind: "declined", decline: card.decline };
  return { kind: "approved" };
}
