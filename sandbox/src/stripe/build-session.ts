import type Stripe from "stripe";
import { defaultExpiry, totalOf, type SessionParams } from "./session-params.ts";
import { newId } from "./stripe-id.ts";

/** Kept beside a session, not shown by the API. */
export interface SessionHidden {
  lineItems: Stripe.LineItem[];
  intent: {
    description: string | null;
    metadata: Record<string, string>;
    receiptEmail: string | null;
    setupFutureUsage: "off_session" | "on_session" | null;
    statementDescriptor: string | null;
    statementDescriptorSuffix: string | null;
  };
}

/** Builds a new, open Checkout session; the compiler holds its shape to the official SDK's. */
export function buildSession(
  params: SessionParams,
  facts: { nowSeconds: number; publicUrl: string; customer: Stripe.Customer | null },
): { session: Stripe.Checkout.Session; hidden: SessionHidden } {
  const id = newId("cs_test_a1", 56);
  const total = totalOf(params);
  const currency = params.line_items[0]?.price_data.currency ?? "usd";
  const email = params.customer_email ?? facts.customer?.email ?? null;
  const session: Stripe.Checkout.Session = {
    id,
    object: "checkout.session",
    ...chosen(params),
    amount_subtotal: total,
    amount_total: total,
    client_reference_id: params.client_reference_id ?? null,
    created: facts.nowSeconds,
    currency,
    customer: params.customer ?? null,
    customer_details: email === null ? null : customerDetails(email, facts.customer?.name ?? null),
    customer_email: params.customer_email ?? null,
    expires_at: params.expires_at ?? defaultExpiry(facts.nowSeconds),
    livemode: false,
    metadata: params.metadata ?? {},
    mode: "payment",
    payment_intent: null,
    payment_method_types: ["card"],
    payment_status: "unpaid",
    status: "open",
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: `${facts.publicUrl}/pay/${id}`,
    ...unused,
  };
  return { session, hidden: { lineItems: buildLineItems(params, facts.nowSeconds), intent: intentData(params) } };
}

export function customerDetails(email: string, name: string | null): Stripe.Checkout.Session.CustomerDetails {
  return { address: null, business_name: null, email, individual_name: null, name, phone: null, tax_exempt: "none", tax_ids: [] };
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

/** What this sandbox has no use for, as Stripe shows it when unused. */
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
  setup_intent: null,
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
    statementDescriptor: data?.statement_descriptor ?? null,
    statementDescriptorSuffix: data?.statement_descriptor_suffix ?? null,
  };
}

function buildLineItems(params: SessionParams, created: number): Stripe.LineItem[] {
  return params.line_items.map(({ quantity, price_data }) => ({
    id: newId("li_"),
    object: "item",
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: quantity * price_data.unit_amount,
    amount_tax: 0,
    amount_total: quantity * price_data.unit_amount,
    currency: price_data.currency,
    description: price_data.product_data.name,
    metadata: {},
    price: buildPrice(price_data, created),
    quantity,
  }));
}

function buildPrice(data: SessionParams["line_items"][number]["price_data"], created: number): Stripe.Price {
  return {
    id: newId("price_"),
    object: "price",
    active: false,
    billing_scheme: "per_unit",
    created,
    currency: data.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: newId("prod_", 14),
    recurring: null,
    tax_behavior: data.tax_behavior ?? "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: "one_time",
    unit_amount: data.unit_amount,
    unit_amount_decimal: null,
  };
}
