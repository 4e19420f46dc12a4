import type { Decline, TestCard } from "./test-cards.ts";

interface CardUse {
  card: TestCard;
  purpose: "charge" | "setup";
  /** True if the cardholder is not present to confirm. */
  offSession: boolean;
  /** True if the cardholder has just confirmed. */
  authenticated: boolean;
  /** True if it was saved for off-session payments, with the cardholder's confirmation. */
  saved: boolean;
}

type CardDecision = { kind: "approved" } | { kind: "challenge" } | { kind: "declined"; decline: Decline };

export const AUTHENTICATION_REQUIRED: Decline = {
  code: "authentication_required",
  declineCode: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/** The bank's decision about a test card (docs.stripe.com/testing). */
export function authoriseCard({ card, purpose, offSession, authenticated, saved }: CardUse): CardDecision {
  const known = card.challenge === "until_saved" && saved && purpose === "charge";
  if (card.challenge !== "never" && !authenticated && !known)
    return offSession ? { kind: "declined", decline: AUTHENTICATION_REQUIRED } : { kind: "challenge" };
  if (card.decline !== null && !(purpose === "setup" && card.savable)) return { kind: "declined", decline: card.decline };
  return { kind: "approved" };
}
