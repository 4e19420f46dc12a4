import { z } from "zod";
import { expand, integer, invalid, readParams, StripeApiError } from "../api/stripe-error.ts";
import type { Cause } from "../events/stripe-event.ts";
import { CardDeclined } from "../payments/card-declined.ts";
import type { Tx } from "../../database.ts";
import { loadSession } from "./checkout-session.ts";
import { paySession } from "./pay-session.ts";

const confirmParams = z.strictObject({ payment_method: z.string(), expected_amount: integer.optional(), expand });

/** An undocumented part of the API, with which Stripe's command line pays a session without a browser. */
export async function showPaymentPage(tx: Tx, cause: Cause, id: string) {
  const { session } = await loadSession(tx, cause, id);
  return { ...session, object: "payment_page", session_id: id };
}

/** @throws StripeApiError if the session is not open or has another amount than expected; CardDeclined if the bank declines */
export async function confirmPaymentPage(tx: Tx, cause: Cause, request: { id: string; input: unknown; publicUrl: string }) {
  const { id: sessionId, publicUrl } = request;
  const params = readParams(confirmParams, request.input);
  const { session } = await loadSession(tx, cause, sessionId);
  if (params.expected_amount !== undefined && params.expected_amount !== (session.amount_total ?? 0))
    throw invalid("The amount is not the one that was expected.", "expected_amount", "checkout_amount_mismatch");
  const card = { methodId: params.payment_method };
  const outcome = await paySession(tx, cause, { sessionId, card, publicUrl });
  if (outcome.kind === "expired" || outcome.kind === "already_done")
    throw new StripeApiError(400, `This Checkout Session is ${outcome.session.status}.`);
  if (outcome.kind === "declined") throw new CardDeclined(outcome.decline);
  return { ...outcome.session, object: "payment_page", session_id: sessionId };
}
