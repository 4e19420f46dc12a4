import type Stripe from "stripe";
import { invalid, StripeApiError } from "../api/stripe-error.ts";
import type { Cause } from "../events/stripe-event.ts";
import type { Tx } from "../../database.ts";
import { checkUsable, loadPaymentMethod } from "./payment-method.ts";

/** Rules shared by payment intents and setup intents. */
type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

const CONFIRMABLE: ReadonlySet<string> = new Set(["requires_payment_method", "requires_confirmation"]);
const CANCELABLE: ReadonlySet<string> = new Set([...CONFIRMABLE, "requires_action"]);
const NAMES = { payment_intent: "PaymentIntent", setup_intent: "SetupIntent" } as const;

/** @throws StripeApiError `…_unexpected_state` if the intent's state does not allow it */
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

/** Sets a new intent's card, if one was given. @throws StripeApiError if it is unknown or unusable */
export async function usePaymentMethod(tx: Tx, cause: Cause, intent: Intent, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const method = await loadPaymentMethod(tx, cause, id);
  checkUsable(method, intent.customer as string | null);
  Object.assign(intent, { payment_method: method.data.id, status: "requires_confirmation" });
}
