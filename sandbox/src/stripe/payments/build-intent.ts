import type Stripe from "stripe";
import { newId } from "../store/stripe-id.ts";

interface CommonFacts {
  customer: string | null;
  description: string | null;
  metadata: Record<string, string>;
}

/** A payment's details, from a checkout page or the API. The amount is in the currency's smallest unit. */
export interface IntentFacts extends CommonFacts {
  amount: number;
  currency: string;
  receiptEmail: string | null;
  setupFutureUsage: "off_session" | "on_session" | null;
  shipping: Stripe.PaymentIntent["shipping"];
  statementDescriptor: string | null;
  statementDescriptorSuffix: string | null;
}

export function buildPaymentIntent(facts: IntentFacts, created: number): Stripe.PaymentIntent {
  return {
    ...newIntent("pi_3", facts, created),
    object: "payment_intent",
    amount: facts.amount,
    amount_capturable: 0,
    amount_received: 0,
    application_fee_amount: null,
    canceled_at: null,
    capture_method: "automatic_async",
    confirmation_method: "automatic",
    currency: facts.currency,
    last_payment_error: null,
    latest_charge: null,
    managed_payments: null,
    payment_record: null,
    processing: null,
    receipt_email: facts.receiptEmail,
    review: null,
    setup_future_usage: facts.setupFutureUsage,
    shipping: facts.shipping,
    source: null,
    statement_descriptor: facts.statementDescriptor,
    statement_descriptor_suffix: facts.statementDescriptorSuffix,
    transfer_group: null,
  };
}

interface SetupFacts extends CommonFacts {
  usage: "off_session" | "on_session";
}

export function buildSetupIntent(facts: SetupFacts, created: number): Stripe.SetupIntent {
  return {
    ...newIntent("seti_1", facts, created),
    object: "setup_intent",
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    mandate: null,
    single_use_mandate: null,
    usage: facts.usage,
  };
}

/** What a payment and a set-up have in common before the first attempt. */
function newIntent(prefix: string, facts: CommonFacts, created: number) {
  const id = newId(prefix);
  return {
    id,
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
    livemode: false,
    metadata: facts.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    status: "requires_payment_method" as const,
  };
}

/** The redirect to the bank, for which an intent waits. */
export function challengeAction(intentId: string, publicUrl: string, returnUrl: string | null) {
  return { type: "redirect_to_url", redirect_to_url: { url: `${publicUrl}/challenge/${intentId}`, return_url: returnUrl } };
}
