import type Stripe from "stripe";
import { z } from "zod";
import { expand, flag, metadata, noSuch, readParams, StripeApiError } from "../api/stripe-error.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { attemptSetup } from "./attempt-setup.ts";
import { buildSetupIntent } from "./build-intent.ts";
import { CardDeclined } from "./card-declined.ts";
import { loadCustomer } from "./customer.ts";
import { accepted, cardTypes, checkState, noPaymentMethod, usePaymentMethod, webAddress } from "./shared-params.ts";
import { checkUsable, loadPaymentMethod } from "./payment-method.ts";

const confirming = {
  payment_method: z.string().optional(),
  return_url: webAddress.optional(),
  payment_method_options: accepted,
  use_stripe_sdk: accepted,
  mandate_data: accepted,
  expand,
};
const createParams = z.strictObject({
  ...confirming,
  confirm: flag.default(false),
  customer: z.string().optional(),
  description: z.string().max(1000).optional(),
  metadata: metadata.optional(),
  usage: z.enum(["off_session", "on_session"]).default("off_session"),
  allowed_payment_method_types: cardTypes.optional(),
  automatic_payment_methods: accepted,
});
const confirmParams = z.strictObject(confirming);
const cancelParams = z.strictObject({
  cancellation_reason: z.enum(["abandoned", "duplicate", "requested_by_customer"]).optional(),
  expand,
});

type Confirmation = z.output<typeof confirmParams> & { publicUrl: string };

/** Creates a setup intent and, with `confirm`, saves its card at once. @throws StripeApiError; CardDeclined if the bank declines */
export async function createSetupIntent(tx: Tx, cause: Cause, input: unknown, publicUrl: string): Promise<Stripe.SetupIntent> {
  const params = readParams(createParams, input);
  if (params.customer !== undefined) await loadCustomer(tx, params.customer, "customer");
  if (params.confirm && params.payment_method === undefined) throw noPaymentMethod("setup_intent");
  const facts = {
    customer: params.customer ?? null,
    description: params.description ?? null,
    metadata: params.metadata ?? {},
    usage: params.usage,
  };
  const intent = buildSetupIntent(facts, seconds(cause));
  await usePaymentMethod(tx, cause, intent, params.payment_method);
  await insertObject(tx, intent);
  await recordEvent(tx, cause, "setup_intent.created", { object: intent });
  return params.confirm ? confirm(tx, cause, intent, { ...params, payment_method: undefined, publicUrl }) : intent;
}

/** Saves the card. @throws StripeApiError in the wrong state; CardDeclined if the bank declines */
export async function confirmSetupIntent(
  tx: Tx,
  cause: Cause,
  request: { id: string; input: unknown; publicUrl: string },
): Promise<Stripe.SetupIntent> {
  const params = readParams(confirmParams, request.input);
  const { intent, hidden } = await loadSetupIntent(tx, request.id);
  if (typeof hidden["sessionId"] === "string")
    throw new StripeApiError(400, "This SetupIntent belongs to a Checkout Session; the card is saved on the session's page.");
  checkState(intent, "confirm");
  return confirm(tx, cause, intent, { ...params, publicUrl: request.publicUrl });
}

async function confirm(tx: Tx, cause: Cause, intent: Stripe.SetupIntent, how: Confirmation): Promise<Stripe.SetupIntent> {
  const methodId = how.payment_method ?? (intent.payment_method as string | null);
  if (methodId === null) throw noPaymentMethod("setup_intent");
  const method = await loadPaymentMethod(tx, cause, methodId);
  checkUsable(method, intent.customer as string | null);
  const outcome = await attemptSetup(tx, cause, {
    intent,
    method,
    authenticated: false,
    returnUrl: how.return_url ?? null,
    publicUrl: how.publicUrl,
  });
  if (outcome.kind === "declined") throw new CardDeclined(outcome.decline, { setup_intent: intent, payment_method: method.data });
  return intent;
}

/** Locks an intent. @throws StripeApiError resource_missing */
export async function loadSetupIntent(
  tx: Tx,
  id: string,
): Promise<{ intent: Stripe.SetupIntent; hidden: Record<string, unknown> }> {
  const found = await findObject<Stripe.SetupIntent>(tx, "setup_intent", id, true);
  if (!found) throw noSuch("setupintent", id, "intent");
  return { intent: found.data, hidden: found.hidden };
}

/** @throws StripeApiError if it has already succeeded or been cancelled */
export async function cancelSetupIntent(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.SetupIntent> {
  const params = readParams(cancelParams, input);
  const { intent } = await loadSetupIntent(tx, id);
  checkState(intent, "cancel");
  Object.assign(intent, { status: "canceled", cancellation_reason: params.cancellation_reason ?? null, next_action: null });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "setup_intent.canceled", { object: intent });
  return intent;
}
