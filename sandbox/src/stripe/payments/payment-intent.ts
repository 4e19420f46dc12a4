import type Stripe from "stripe";
import { z } from "zod";
import {
  expand,
  flag,
  invalid,
  mergeMetadata,
  metadata,
  metadataChange,
  noSuch,
  readParams,
  StripeApiError,
} from "../api/stripe-error.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { applyCardOutcome } from "./dispute.ts";
import { attemptPayment } from "./attempt-payment.ts";
import { buildPaymentIntent } from "./build-intent.ts";
import { CardDeclined } from "./card-declined.ts";
import { loadCustomer } from "./customer.ts";
import {
  accepted,
  amountInCents,
  cardTypes,
  checkState,
  currency,
  noPaymentMethod,
  shippingParams,
  usePaymentMethod,
  webAddress,
} from "./shared-params.ts";
import { checkUsable, loadPaymentMethod } from "./payment-method.ts";

const confirming = {
  payment_method: z.string().optional(),
  off_session: flag.optional(),
  error_on_requires_action: flag.optional(),
  return_url: webAddress.optional(),
  payment_method_options: accepted,
  use_stripe_sdk: accepted,
  mandate_data: accepted,
  expand,
};
const createParams = z.strictObject({
  ...confirming,
  amount: amountInCents,
  currency,
  confirm: flag.default(false),
  customer: z.string().optional(),
  description: z.string().max(1000).optional(),
  metadata: metadata.optional(),
  receipt_email: z.email().max(254).optional(),
  setup_future_usage: z.enum(["off_session", "on_session"]).optional(),
  statement_descriptor: z.string().max(22).optional(),
  statement_descriptor_suffix: z.string().max(22).optional(),
  shipping: shippingParams.optional(),
  allowed_payment_method_types: cardTypes.optional(),
  automatic_payment_methods: accepted,
  capture_method: z.enum(["automatic", "automatic_async"]).optional(),
  confirmation_method: z.enum(["automatic"]).optional(),
});
const confirmParams = z.strictObject(confirming);
const updateParams = z.strictObject({
  description: z.string().max(1000).optional(),
  metadata: metadataChange.optional(),
  expand,
});
const cancelParams = z.strictObject({
  cancellation_reason: z.enum(["abandoned", "duplicate", "fraudulent", "requested_by_customer"]).optional(),
  expand,
});

type Confirmation = z.output<typeof confirmParams> & { publicUrl: string };

/** Creates a payment intent and, with `confirm`, pays it at once. @throws StripeApiError; CardDeclined if the bank declines */
export async function createPaymentIntent(
  tx: Tx,
  cause: Cause,
  input: unknown,
  publicUrl: string,
): Promise<Stripe.PaymentIntent> {
  const params = readParams(createParams, input);
  for (const name of ["off_session", "error_on_requires_action"] as const)
    if (params[name] && !params.confirm) throw invalid(`\`${name}\` can only be set to \`true\` when \`confirm=true\`.`, name);
  if (params.confirm && params.payment_method === undefined) throw noPaymentMethod("payment_intent");
  if (params.customer !== undefined) await loadCustomer(tx, params.customer, "customer");
  const facts = {
    amount: params.amount,
    currency: params.currency,
    customer: params.customer ?? null,
    description: params.description ?? null,
    metadata: params.metadata ?? {},
    receiptEmail: params.receipt_email ?? null,
    setupFutureUsage: params.setup_future_usage ?? null,
    shipping: params.shipping ?? null,
    statementDescriptor: params.statement_descriptor ?? null,
    statementDescriptorSuffix: params.statement_descriptor_suffix ?? null,
  };
  const intent = buildPaymentIntent(facts, seconds(cause));
  await usePaymentMethod(tx, cause, intent, params.payment_method);
  await insertObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.created", { object: intent });
  return params.confirm ? confirm(tx, cause, intent, { ...params, payment_method: undefined, publicUrl }) : intent;
}

/** Pays an intent. @throws StripeApiError in the wrong state; CardDeclined if the bank declines */
export async function confirmPaymentIntent(
  tx: Tx,
  cause: Cause,
  request: { id: string; input: unknown; publicUrl: string },
): Promise<Stripe.PaymentIntent> {
  const params = readParams(confirmParams, request.input);
  const { intent, hidden } = await loadPaymentIntent(tx, request.id);
  if (typeof hidden["sessionId"] === "string")
    throw new StripeApiError(400, "This PaymentIntent belongs to a Checkout Session; it is paid on the session's page.");
  checkState(intent, "confirm");
  return confirm(tx, cause, intent, { ...params, publicUrl: request.publicUrl });
}

async function confirm(tx: Tx, cause: Cause, intent: Stripe.PaymentIntent, how: Confirmation): Promise<Stripe.PaymentIntent> {
  const methodId = how.payment_method ?? (intent.payment_method as string | null);
  if (methodId === null) throw noPaymentMethod("payment_intent");
  const method = await loadPaymentMethod(tx, cause, methodId);
  checkUsable(method, intent.customer as string | null);
  const outcome = await attemptPayment(tx, cause, {
    intent,
    method,
    offSession: how.off_session ?? false,
    authenticated: false,
    refusesChallenge: how.error_on_requires_action ?? false,
    returnUrl: how.return_url ?? null,
    publicUrl: how.publicUrl,
  });
  if (outcome.kind === "declined")
    throw new CardDeclined(outcome.decline, {
      charge: outcome.chargeId,
      payment_intent: intent,
      payment_method: method.data,
    });
  if (outcome.kind === "paid") await applyCardOutcome(tx, cause, outcome.charge, method.card);
  return intent;
}

/** Locks an intent. @throws StripeApiError resource_missing */
export async function loadPaymentIntent(
  tx: Tx,
  id: string,
): Promise<{ intent: Stripe.PaymentIntent; hidden: Record<string, unknown> }> {
  const found = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", id, true);
  if (!found) throw noSuch("payment_intent", id, "intent");
  return { intent: found.data, hidden: found.hidden };
}

export async function updatePaymentIntent(tx: Tx, id: string, input: unknown): Promise<Stripe.PaymentIntent> {
  const params = readParams(updateParams, input);
  const { intent } = await loadPaymentIntent(tx, id);
  intent.description = params.description ?? intent.description;
  intent.metadata = mergeMetadata(intent.metadata, params.metadata);
  await updateObject(tx, intent);
  return intent;
}

/** @throws StripeApiError if it is already paid or cancelled */
export async function cancelPaymentIntent(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.PaymentIntent> {
  const params = readParams(cancelParams, input);
  const { intent } = await loadPaymentIntent(tx, id);
  checkState(intent, "cancel");
  Object.assign(intent, {
    status: "canceled",
    canceled_at: seconds(cause),
    cancellation_reason: params.cancellation_reason ?? null,
    next_action: null,
  });
  await updateObject(tx, intent);
  await recordEvent(tx, cause, "payment_intent.canceled", { object: intent });
  return intent;
}
