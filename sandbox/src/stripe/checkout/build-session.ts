import type Stripe from "stripe";
import type { IntentFacts } from "../payments/build-intent.ts";
import { newId } from "../store/stripe-id.ts";
import { defaultExpiry, type SessionParams } from "./session-params.ts";

type Session = Stripe.Checkout.Session;

/** Data of a session that the API does not show. */
export interface SessionHidden {
  lineItems: Stripe.LineItem[];
  /** For the payment intent, which is created at the first attempt to pay. */
  intent: Omit<IntentFacts, "amount" | "currency" | "customer">;
}

const ALL_METHODS = ["card", "paypal", "sepa_debit", "oxxo"];

interface SessionFacts {
  nowSeconds: number;
  publicUrl: string;
  customer: Stripe.Customer | null;
  /** Empty in `setup` mode. */
  items: Stripe.LineItem[];
}

/** Builds an open Checkout session. */
export function buildSession(params: SessionParams, facts: SessionFacts): { session: Session; hidden: SessionHidden } {
  const id = newId("cs_test_a1", 56);
  const pays = params.mode === "payment";
  const total = pays ? facts.items.reduce((sum, item) => sum + item.amount_total, 0) : null;
  const email = params.customer_email ?? facts.customer?.email ?? null;
  const session: Session = {
    id,
    object: "checkout.session",
    ...chosen(params),
    amount_subtotal: total,
    amount_total: total,
    client_reference_id: params.client_reference_id ?? null,
    created: facts.nowSeconds,
    currency: facts.items[0]?.currency ?? params.currency ?? null,
    customer: params.customer ?? null,
    customer_details: email === null ? null : customerDetails({ email, name: facts.customer?.name ?? null, address: null }),
    customer_email: params.customer_email ?? null,
    expires_at: params.expires_at ?? defaultExpiry(facts.nowSeconds),
    livemode: false,
    metadata: params.metadata ?? {},
    mode: params.mode,
    payment_intent: null,
    payment_method_types: params.mode === "payment" && params.allowed_payment_method_types === undefined ? ALL_METHODS : ["card"],
    payment_status: pays ? "unpaid" : "no_payment_required",
    setup_intent: null,
    status: "open",
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    total_details: pays ? { amount_discount: 0, amount_shipping: 0, amount_tax: 0 } : null,
    ui_mode: "hosted_page",
    url: `${facts.publicUrl}/pay/${id}`,
    ...unused,
  };
  return { session, hidden: { lineItems: facts.items, intent: intentData(params) } };
}

export function customerDetails(person: {
  email: string | null;
  name: string | null;
  address: Stripe.Address | null;
}): Stripe.Checkout.Session.CustomerDetails {
  return { ...person, business_name: null, individual_name: null, phone: null, tax_exempt: "none", tax_ids: [] };
}

function chosen(params: SessionParams) {
  const terms = params.consent_collection?.terms_of_service;
  return {
    adaptive_pricing: { enabled: params.adaptive_pricing?.enabled ?? false },
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    billing_address_collection: params.billing_address_collection ?? null,
    consent_collection: terms ? { payment_method_reuse_agreement: null, promotions: null, terms_of_service: terms } : null,
    customer_creation: params.customer_creation ?? (params.customer === undefined ? ("if_required" as const) : null),
    locale: params.locale ?? null,
    submit_type: params.submit_type ?? null,
  };
}

/** Fields that this sandbox does not use, with Stripe's default values. */
const unused = {
  after_expiration: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  client_secret: null,
  collected_information: null,
  consent: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
  customer_account: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  managed_payments: null,
  origin_context: null,
  payment_link: null,
  payment_method_collection: "if_required",
  payment_method_configuration_details: null,
  payment_method_options: {},
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  subscription: null,
  wallet_options: null,
} satisfies Partial<Stripe.Checkout.Session>;

function intentData(params: SessionParams): SessionHidden["intent"] {
  const data = params.payment_intent_data;
  return {
    description: data?.description ?? null,
    metadata: data?.metadata ?? {},
    receiptEmail: data?.receipt_email ?? null,
    setupFutureUsage: data?.setup_future_usage ?? null,
    shipping: data?.shipping ?? null,
    statementDescriptor: data?.statement_descriptor ?? null,
    statementDescriptorSuffix: data?.statement_descriptor_suffix ?? null,
  };
}
