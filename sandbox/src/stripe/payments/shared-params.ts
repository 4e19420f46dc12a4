import { z } from "zod";
import type Stripe from "stripe";
import { integer, invalid, StripeApiError } from "../api/stripe-error.ts";
import type { Cause } from "../events/stripe-event.ts";
import type { Tx } from "../../database.ts";
import { checkUsable, loadPaymentMethod } from "./payment-method.ts";

const MIN_CENTS = 50;

export const MAX_CENTS = 99_999_999;

/** Accepted without effect. */
export const accepted = z.unknown().optional();

export const webAddress = z
  .string()
  .max(5000)
  .regex(/^https?:\/\/[^\s]+$/, "not a valid URL");

export const currency = z
  .string()
  .regex(/^[a-z]{3}$/i, "must be a three-letter code")
  .transform((code) => code.toLowerCase());

/** In the currency's smallest unit. */
export const amountInCents = integer.refine(
  (amount) => amount >= MIN_CENTS && amount <= MAX_CENTS,
  `must be between ${MIN_CENTS} and ${MAX_CENTS}`,
);

export const cardTypes = z.array(z.enum(["card"], "this sandbox knows only `card`"));

/** Stored and returned without further effect. */
export const shippingParams = z.strictObject({
  name: z.string().max(200).optional(),
  phone: z.string().max(20).optional(),
  address: z
    .strictObject({
      city: z.string().max(200).nullable().default(null),
      country: z.string().max(2).nullable().default(null),
      line1: z.string().max(200).nullable().default(null),
      line2: z.string().max(200).nullable().default(null),
      postal_code: z.string().max(20).nullable().default(null),
      state: z.string().max(200).nullable().default(null),
    })
    .optional(),
});

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
