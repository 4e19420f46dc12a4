import type Stripe from "stripe";
import type { Decline, TestCard } from "../cards/test-cards.ts";
import { newId } from "../store/stripe-id.ts";
import { checksOf, fingerprintOf } from "./build-payment-method.ts";

interface ChargeFacts {
  created: number;
  publicUrl: string;
  method: Stripe.PaymentMethod;
  /** A card, or the details of another payment method. */
  paidWith: { card: TestCard; authenticated: boolean } | { type: string };
  /** Null if it is paid. */
  decline: Decline | null;
}

/** A charge for the whole intent, paid or declined. */
export function buildCharge(intent: Stripe.PaymentIntent, facts: ChargeFacts): Stripe.Charge {
  const { decline, method } = facts;
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
    balance_transaction: null,
    billing_details: method.billing_details,
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
    outcome: outcomeOf(decline),
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details:
      "card" in facts.paidWith ? { card: cardDetails(intent, facts, facts.paidWith), type: "card" } : facts.paidWith,
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: paid ? `${facts.publicUrl}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: intent.shipping,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: paid ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null,
  };
}

function cardDetails(
  intent: Stripe.PaymentIntent,
  facts: ChargeFacts,
  { card, authenticated }: { card: TestCard; authenticated: boolean },
): Stripe.Charge.PaymentMethodDetails.Card {
  const { method } = facts;
  return {
    amount_authorized: facts.decline ? null : intent.amount,
    authorization_code: null,
    brand: card.brand,
    checks: checksOf(card, method.billing_details.address?.postal_code ?? null),
    country: "US",
    electronic_commerce_indicator: authenticated ? "05" : null,
    exp_month: method.card?.exp_month ?? 0,
    exp_year: method.card?.exp_year ?? 0,
    fingerprint: fingerprintOf(card),
    funding: "credit",
    installments: null,
    last4: card.number.slice(-4),
    mandate: null,
    network: card.brand,
    network_transaction_id: null,
    regulated_status: "unregulated",
    three_d_secure: authenticated ? authentication() : null,
    transaction_link_id: null,
    wallet: null,
  };
}

/** The 3-D Secure result after the cardholder has confirmed. */
export function authentication(): Stripe.Charge.PaymentMethodDetails.Card.ThreeDSecure {
  return {
    authentication_flow: "challenge",
    electronic_commerce_indicator: "05",
    exemption_indicator: null,
    result: "authenticated",
    result_reason: null,
    transaction_id: null,
    version: "2.2.0",
  };
}

function outcomeOf(decline: Decline | null): Stripe.Charge.Outcome {
  const common = { network_advice_code: null, network_decline_code: null } as const;
  if (decline === null)
    return {
      ...common,
      advice_code: null,
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      risk_score: 12,
      seller_message: "Payment complete.",
      type: "authorized",
    };
  if (decline.blocked)
    return {
      ...common,
      advice_code: null,
      network_status: "not_sent_to_network",
      reason: "highest_risk_level",
      risk_level: "highest",
      risk_score: 88,
      seller_message: "Stripe blocked this payment as too risky.",
      type: "blocked",
    };
  return {
    ...common,
    advice_code: "try_again_later",
    network_status: "declined_by_network",
    reason: decline.declineCode ?? decline.code,
    risk_level: "normal",
    risk_score: 12,
    seller_message: "The bank did not accept the payment.",
    type: "issuer_declined",
  };
}
