import { createHash } from "node:crypto";
import type Stripe from "stripe";
import type { CardEntry } from "../cards/card-form.ts";
import type { TestCard } from "../cards/test-cards.ts";
import { newId } from "../store/stripe-id.ts";

export function buildPaymentMethod(entry: CardEntry, created: number): Stripe.PaymentMethod {
  const { card } = entry;
  return {
    id: newId("pm_1"),
    object: "payment_method",
    billing_details: { address: addressOf(entry.postalCode), email: entry.email, name: entry.name, phone: null, tax_id: null },
    card: {
      brand: card.brand,
      checks: checksOf(card, entry.postalCode),
      country: "US",
      display_brand: card.brand,
      exp_month: entry.expMonth,
      exp_year: entry.expYear,
      fingerprint: fingerprintOf(card),
      funding: "credit",
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
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

/** A payment method that is not a card. */
export function buildOtherMethod(type: string, created: number): Stripe.PaymentMethod {
  return {
    id: newId("pm_1"),
    object: "payment_method",
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    created,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type,
    [type]: {},
  };
}

function addressOf(postalCode: string | null): Stripe.Address | null {
  if (postalCode === null) return null;
  return { city: null, country: "US", line1: null, line2: null, postal_code: postalCode, state: null };
}

export function checksOf(card: TestCard, postalCode: string | null) {
  return {
    address_line1_check: null,
    address_postal_code_check: postalCode === null ? null : "pass",
    cvc_check: card.decline?.code === "incorrect_cvc" ? "fail" : "pass",
  };
}

/** The same card has the same fingerprint in every payment. */
export function fingerprintOf(card: TestCard): string {
  return createHash("sha256").update(`farline sandbox ${card.number}`).digest("base64url").slice(0, 16);
}
