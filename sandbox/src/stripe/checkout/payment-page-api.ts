import { z } from "zod";
import { expand, integer, invalid, readParams, StripeApiError } from "../api/stripe-error.ts";
import type { Cause } from "../events/stripe-event.ts";
import { CardRefused } from "../payments/card-refused.ts";
import type { Tx } from "../store/schema.ts";
import { loadSession } from "./checkout-session.ts";
import { paySession } from "./pay-session.ts";

const confirmParams = z.strictObject({ payment_method: z.string(), expected_amount: integer.optional(), expand });

/** What Stripe's own page and command line use to pay a session without a browser; not part of the documented API. */
export async function showPaymentPage(tx: Tx, cause: Cause, id: string) {
  const { session } = await loadSession(tx, cause, id);
  return { ...session, object: "payment_page", session_id: id };
}

/** @throws StripeApiError when it is not open or costs something else than expected; CardRefused when the bank says no */
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
  if (outcome.kind === "declined") throw new CardRefused(outcome.decline);
  return { ...outcome.session, object: "payment_page", session_id: sessionId };
}
