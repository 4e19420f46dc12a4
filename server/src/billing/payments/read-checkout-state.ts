import type Stripe from "stripe";
import { refundsOf } from "../record/money-events.ts";

/** The state at Stripe of a checkout session, or of a charge without one, and of its money. Amounts in cents. */
export interface CheckoutState {
  /** Null for a charge without a checkout. */
  readonly sessionId: string | null;
  /** The payment named in the session's metadata. */
  readonly paymentId: string | null;
  readonly sessionStatus: Stripe.Checkout.Session["status"];
  readonly paid: boolean;
  readonly amountCents: number | null;
  readonly currency: string | null;
  readonly live: boolean;
  readonly paymentIntentId: string | null;
  readonly paymentIntentStatus: string | null;
  /** The price in the payer's own currency, in its smallest unit, if the provider displayed one. */
  readonly presented: { readonly amount: bigint; readonly currency: string } | null;
  /** Decline code of the last attempt. */
  readonly failureCode: string | null;
  readonly card: CardDetails | null;
  /** The saved payment method; null if it was used once. */
  readonly method: Stripe.PaymentMethod | null;
  /** Empty unless requested. Objects never vanish at Stripe, so a list that lacks one is older. */
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
  readonly warnings: readonly Stripe.Radar.EarlyFraudWarning[];
}

/** The card that paid, or the account of another payment method. */
interface CardDetails {
  /** The card's brand, or Stripe's name of another method, such as `paypal`. */
  readonly brand: string | null;
  readonly last4: string | null;
  readonly fingerprint: string | null;
  /** Confirmed with 3-D Secure. */
  readonly authenticated: boolean;
}

/** The ways in which a paid payment can be reversed. */
export type Reversal = "refunds" | "disputes" | "warnings";

/** Stripe's maximum page size. None of our payments has more disputes. */
const MAX_LISTED = 100;
/** Payment intents of one customer within the searched hour. */
const MAX_INTENTS = 1_000;
const CLOCK_SKEW_SECONDS = 300;

/**
 * Reads the session with its payment intent and charge from Stripe. Reads refunds and disputes only if the charge has any or the
 * caller requests them.
 */
export async function readCheckoutState(
  stripe: Stripe,
  sessionId: string,
  reversals: readonly Reversal[] = [],
): Promise<CheckoutState> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, {
    expand: ["payment_intent.latest_charge", "payment_intent.payment_method"],
  });
  const intent = await expandReference(session.payment_intent, (id) => stripe.paymentIntents.retrieve(id));
  return {
    sessionId: session.id,
    paymentId: session.metadata?.["payment_id"] ?? null,
    sessionStatus: session.status,
    // Not `status: complete`, which delayed payment methods reach before the money arrives.
    paid: session.payment_status === "paid",
    amountCents: session.amount_total,
    currency: session.currency,
    live: session.livemode,
    presented: presentedBy(session),
    ...(await readMoney(stripe, intent, reversals)),
  };
}

/** Like `readCheckoutState`, for a charge without a checkout. One that ended unpaid counts as complete. */
export async function readChargeState(
  stripe: Stripe,
  paymentIntentId: string,
  reversals: readonly Reversal[] = [],
): Promise<CheckoutState> {
  const intent = await stripe.paymentIntents.retrieve(paymentIntentId, { expand: ["latest_charge", "payment_method"] });
  return {
    sessionId: null,
    paymentId: intent.metadata["payment_id"] ?? null,
    sessionStatus: intent.status === "processing" ? "open" : "complete",
    paid: intent.status === "succeeded",
    amountCents: intent.amount,
    currency: intent.currency,
    live: intent.livemode,
    presented: null,
    ...(await readMoney(stripe, intent, reversals)),
  };
}

/**
 * Searches the provider's list for a payment's charge whose response was lost too long ago to retry.
 * @returns the payment intent's id, or null if there is none
 */
export async function findCharge(
  stripe: Stripe,
  search: { paymentId: string; customer: string; since: Date },
): Promise<string | null> {
  // Allow for clock skew.
  const since = Math.floor(search.since.getTime() / 1000) - CLOCK_SKEW_SECONDS;
  const list = stripe.paymentIntents.list({ customer: search.customer, created: { gte: since }, limit: MAX_LISTED });
  const intents = await list.autoPagingToArray({ limit: MAX_INTENTS });
  return intents.find((intent) => intent.metadata["payment_id"] === search.paymentId)?.id ?? null;
}

type Money = Pick<
  CheckoutState,
  "paymentIntentId" | "paymentIntentStatus" | "failureCode" | "card" | "method" | "refunds" | "disputes" | "warnings"
>;

async function readMoney(stripe: Stripe, intent: Stripe.PaymentIntent | null, reversals: readonly Reversal[]): Promise<Money> {
  const charge = await expandReference(intent?.latest_charge ?? null, (id) => stripe.charges.retrieve(id));
  const charged = intent !== null && charge !== null;
  const has = (what: Reversal, known: boolean) => charged && (known || reversals.includes(what));
  const about = { payment_intent: intent?.id ?? "", limit: MAX_LISTED };
  const [refunds, disputes, warnings] = await Promise.all([
    has("refunds", (charge?.amount_refunded ?? 0) > 0) ? refundsOf(stripe, about.payment_intent) : [],
    has("disputes", charge?.disputed === true) ? stripe.disputes.list(about) : NONE,
    has("warnings", false) ? stripe.radar.earlyFraudWarnings.list(about) : NONE,
  ]);
  const error = intent?.last_payment_error ?? null;
  return {
    paymentIntentId: intent?.id ?? null,
    paymentIntentStatus: intent?.status ?? null,
    // The decline code is more specific than `card_declined`.
    failureCode: (error?.code === "card_declined" ? error.decline_code : error?.code) ?? null,
    card: cardOf(charge),
    method: keptMethod(intent),
    refunds,
    disputes: disputes.data,
    warnings: warnings.data,
  };
}

const NONE = { data: [] };

/** Single-use and detached cards have no customer. */
function keptMethod(intent: Stripe.PaymentIntent | null): Stripe.PaymentMethod | null {
  const method = intent?.payment_method ?? null;
  return method === null || typeof method === "string" || method.customer === null ? null : method;
}

/** Adaptive Pricing: `currency` and `amount_total` stay those of our order (docs.stripe.com/payments/currencies/localize-prices). */
function presentedBy({ presentment_details: shown, currency }: Stripe.Checkout.Session): CheckoutState["presented"] {
  if (shown === undefined || shown.presentment_currency === currency) return null;
  return { amount: BigInt(shown.presentment_amount), currency: shown.presentment_currency };
}

function cardOf(charge: Stripe.Charge | null): CardDetails | null {
  const details = charge?.payment_method_details;
  if (details === undefined || details === null) return null;
  const { card } = details;
  if (card === undefined || card === null) return otherMethod(details);
  return {
    brand: card.brand ?? null,
    last4: card.last4 ?? null,
    fingerprint: card.fingerprint ?? null,
    authenticated: card.three_d_secure?.result === "authenticated",
  };
}

/** Bank debits have the account's last digits and a fingerprint, like cards; wallets have neither. */
function otherMethod(details: Stripe.Charge.PaymentMethodDetails): CardDetails {
  const { type } = details;
  const account = (details as unknown as Record<string, { last4?: string | null; fingerprint?: string | null } | undefined>)[
    type
  ];
  return { brand: type, last4: account?.last4 ?? null, fingerprint: account?.fingerprint ?? null, authenticated: false };
}

/** Fetches an object that Stripe returned as an id. */
async function expandReference<T extends object>(
  reference: string | T | null,
  retrieve: (id: string) => Promise<T>,
): Promise<T | null> {
  return typeof reference === "string" ? retrieve(reference) : reference;
}
