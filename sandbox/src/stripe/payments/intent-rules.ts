import type Stripe from "stripe";
import { invalid, StripeApiError } from "../api/stripe-error.ts";
import type { Cause } from "../events/stripe-event.ts";
import type { Tx } from "../store/schema.ts";
import { checkUsable, loadPaymentMethod } from "./payment-method.ts";

/** What is the same for an intent to pay and an intent to save a card. */
type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

const CONFIRMABLE: ReadonlySet<string> = new Set(["requires_payment_method", "requires_confirmation"]);
const CANCELABLE: ReadonlySet<string> = new Set([...CONFIRMABLE, "requires_action"]);
const NAMES = { payment_intent: "PaymentIntent", setup_intent: "SetupIntent" } as const;

/** @throws StripeApiError `…_unexpected_state` when it is in another state than this may be done in */
export function checkState(intent: Intent, verb: "confirm" | "cancel"): void {
  if ((verb === "confirm" ? CONFIRMABLE : CANCELABLE).has(intent.status)) return;
  const message = `You cannot ${verb} this ${NAMES[intent.object]} because it has a status of ${intent.status}.`;
  throw new StripeApiError(400, message, { code: `${intent.object}_unexpected_state` });
}

export function noPaymentMethod(kind: Intent["object"]): StripeApiError {
  return invalid(
    `You cannot confirm this ${NAMES[kind]} because it's missing a payment method.`,
    "payment_method",
    `${kind}_unexpected_state`,
  );
}

/** Gives a new intent the card it was made with, if any. @throws StripeApiError when there is none such or it cannot be used */
export async function takePaymentMethod(tx: Tx, cause: Cause, intent: Intent, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const method = await loadPaymentMethod(tx, cause, id);
  checkUsable(method, intent.customer as string | null);
  Object.assign(intent, { payment_method: method.data.id, status: "requires_confirmation" });
}
