import type Stripe from "stripe";
import { newId } from "../store/stripe-id.ts";

/** A payment's details, from a checkout page or the API. The amount is in the currency's smallest unit. */
export interface IntentFacts {
  amount: number;
  currency: string;
  customer: string | null;
  description: string | null;
  metadata: Record<string, string>;
  receiptEmail: string | null;
  setupFutureUsage: "off_session" | "on_session" | null;
  shipping: Stripe.PaymentIntent["shipping"];
  statementDescriptor: string | null;
  statementDescriptorSuffix: string | null;
}

export function buildPaymentIntent(facts: IntentFacts, created: number): Stripe.PaymentIntent {
  const id = newId("pi_3");
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: ["card"],
    amount: facts.amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    client_secret: `${id}_secret_${newId("", 25)}`,
    confirmation_method: "automatic",
    created,
    currency: facts.currency,
    customer: facts.customer,
    customer_account: null,
    description: facts.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: facts.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: facts.receiptEmail,
    review: null,
    setup_future_usage: facts.setupFutureUsage,
    shipping: facts.shipping,
    source: null,
    statement_descriptor: facts.statementDescriptor,
    statement_descriptor_suffix: facts.statementDescriptorSuffix,
    status: "requires_payment_method",
    transfer_group: null,
  };
}

interface SetupFacts {
  customer: string | null;
  description: string | null;
  metadata: Record<string, string>;
  usage: "off_session" | "on_session";
}

export function buildSetupIntent(facts: SetupFacts, created: number): Stripe.SetupIntent {
  const id = newId("seti_1");
  return {
    id,
    object: "setup_intent",
    allowed_payment_method_types: ["card"],
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${newId("", 25)}`,
    created,
    customer: facts.customer,
    customer_account: null,
    description: facts.description,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: facts.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    single_use_mandate: null,
    status: "requires_payment_method",
    usage: facts.usage,
  };
}

/** The redirect to the bank, for which an intent waits. */
export function challengeAction(intentId: string, publicUrl: string, returnUrl: string | null) {
  return { type: "redirect_to_url", redirect_to_url: { url: `${publicUrl}/challenge/${intentId}`, return_url: returnUrl } };
}
