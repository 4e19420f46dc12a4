import { createHash } from "node:crypto";
import type Stripe from "stripe";
import type { SessionHidden } from "./build-session.ts";
import { newId } from "./stripe-id.ts";
import type { TestCard } from "./test-cards.ts";

/** The card as the person typed it, checked; the number itself goes no further than this. */
export interface CardEntry {
  card: TestCard;
  expMonth: number;
  expYear: number;
  name: string;
  email: string | null;
}

export function buildPaymentIntent(
  session: Stripe.Checkout.Session,
  hidden: SessionHidden,
  created: number,
): Stripe.PaymentIntent {
  const id = newId("pi_3");
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: session.allowed_payment_method_types,
    amount: session.amount_total ?? 0,
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
    currency: session.currency ?? "usd",
    customer: session.customer,
    customer_account: null,
    description: hidden.intent.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: hidden.intent.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: hidden.intent.receiptEmail,
    review: null,
    setup_future_usage: hidden.intent.setupFutureUsage,
    shipping: null,
    source: null,
    statement_descriptor: hidden.intent.statementDescriptor,
    statement_descriptor_suffix: hidden.intent.statementDescriptorSuffix,
    status: "requires_payment_method",
    transfer_group: null,
  };
}

/** A charge for the whole intent, paid or declined as the card says. */
export function buildCharge(
  intent: Stripe.PaymentIntent,
  entry: CardEntry,
  facts: { created: number; publicUrl: string; paymentMethod: string },
): Stripe.Charge {
  const { decline } = entry.card;
  const id = newId("ch_3");
  const paid = decline === null;
  return {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: paid ? newId("txn_3") : null,
    billing_details: { address: null, email: entry.email, name: entry.name, phone: null, tax_id: null },
    calculated_statement_descriptor: intent.statement_descriptor ?? "FARLINE SANDBOX",
    captured: paid,
    created: facts.created,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: outcomeOf(entry.card),
    paid,
    payment_intent: intent.id,
    payment_method: facts.paymentMethod,
    payment_method_details: { card: cardDetails(entry, intent.amount), type: "card" },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: paid ? `${facts.publicUrl}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: paid ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null,
  };
}

export function buildPaymentMethod(entry: CardEntry, created: number): Stripe.PaymentMethod {
  return {
    id: newId("pm_1"),
    object: "payment_method",
    billing_details: { address: null, email: entry.email, name: entry.name, phone: null, tax_id: null },
    card: {
      brand: entry.card.brand,
      checks: checksOf(entry.card),
      country: "US",
      display_brand: entry.card.brand,
      exp_month: entry.expMonth,
      exp_year: entry.expYear,
      fingerprint: fingerprintOf(entry.card),
      funding: "credit",
      generated_from: null,
      last4: entry.card.number.slice(-4),
      networks: { available: [entry.card.brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: "card",
  };
}

export function buildPaymentError(
  card: TestCard,
  charge: string,
  paymentMethod: Stripe.PaymentMethod,
): Stripe.PaymentIntent.LastPaymentError {
  return {
    charge,
    code: card.decline?.code ?? "processing_error",
    ...(card.decline?.declineCode && { decline_code: card.decline.declineCode }),
    message: card.decline?.message ?? "",
    payment_method: paymentMethod,
    type: "card_error",
  };
}

function cardDetails(entry: CardEntry, amount: number): Stripe.Charge.PaymentMethodDetails.Card {
  const { card } = entry;
  return {
    amount_authorized: card.decline ? null : amount,
    authorization_code: null,
    brand: card.brand,
    checks: checksOf(card),
    country: "US",
    electronic_commerce_indicator: null,
    exp_month: entry.expMonth,
    exp_year: entry.expYear,
    fingerprint: fingerprintOf(card),
    funding: "credit",
    installments: null,
    last4: card.number.slice(-4),
    mandate: null,
    network: card.brand,
    network_transaction_id: null,
    regulated_status: "unregulated",
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

function checksOf(card: TestCard) {
  return {
    address_line1_check: null,
    address_postal_code_check: null,
    cvc_check: card.decline?.code === "incorrect_cvc" ? "fail" : "pass",
  };
}

/** The same card has the same fingerprint in every payment. */
function fingerprintOf(card: TestCard): string {
  return createHash("sha256").update(`farline sandbox ${card.number}`).digest("base64url").slice(0, 16);
}

function outcomeOf(card: TestCard): Stripe.Charge.Outcome {
  const { decline } = card;
  return {
    advice_code: decline ? "try_again_later" : null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: decline ? "declined_by_network" : "approved_by_network",
    reason: decline?.declineCode ?? decline?.code ?? null,
    risk_level: "normal",
    risk_score: 12,
    seller_message: decline ? "The bank did not accept the payment." : "Payment complete.",
    type: decline ? "issuer_declined" : "authorized",
  };
}
