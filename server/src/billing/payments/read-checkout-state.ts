import type Stripe from "stripe";

/** The state of a checkout session and its money at Stripe. Amounts in cents. */
export interface CheckoutTruth {
  /** Null for a card that was charged without a checkout. */
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
  /** The price in the payer's own currency, in its smallest unit, if the provider showed that. */
  readonly presented: { readonly amount: bigint; readonly currency: string } | null;
  /** Decline code of the last attempt. */
  readonly failureCode: string | null;
  readonly card: CardTruth | null;
  /** The payment method, if it belongs to a customer there: a saved card. */
  readonly method: Stripe.PaymentMethod | null;
  /** Only what was requested. Objects never vanish at Stripe, so a list without one is merely older. */
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
  readonly warnings: readonly Stripe.Radar.EarlyFraudWarning[];
}

/** The card that paid, or the account at another payment method. */
export interface CardTruth {
  /** Of a card; otherwise Stripe's name of the method, such as `paypal`. */
  readonly brand: string | null;
  readonly last4: string | null;
  readonly fingerprint: string | null;
  /** Confirmed with 3-D Secure. */
  readonly authenticated: boolean;
}

/** What can happen to a payment after it was paid. */
export type Aftermath = "refunds" | "disputes" | "warnings";

/** Stripe's largest page. None of our payments has more refunds. */
const MAX_LISTED = 100;
/** Payment intents of one customer within the searched hour. */
const MAX_INTENTS = 1_000;
const CLOCK_SKEW_SECONDS = 300;

/**
 * Reads the session with its payment intent and charge from Stripe; refunds and disputes only if the charge has any or the
 * caller requests them.
 */
export async function readCheckoutTruth(
  stripe: Stripe,
  sessionId: string,
  aftermath: readonly Aftermath[] = [],
): Promise<CheckoutTruth> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, {
    expand: ["payment_intent.latest_charge", "payment_intent.payment_method"],
  });
  const intent = await expandReference(session.payment_intent, (id) => stripe.paymentIntents.retrieve(id));
  return {
    sessionId: session.id,
    paymentId: session.metadata?.["payment_id"] ?? null,
    sessionStatus: session.status,
    // Not `status: complete`, which slow payment methods reach before the money arrives.
    paid: session.payment_status === "paid",
    amountCents: session.amount_total,
    currency: session.currency,
    live: session.livemode,
    presented: presentedBy(session),
    ...(await readMoney(stripe, intent, aftermath)),
  };
}

/** As `readCheckoutTruth`, for a charge without a checkout. One that ended unpaid counts as complete. */
export async function readChargeTruth(
  stripe: Stripe,
  paymentIntentId: string,
  aftermath: readonly Aftermath[] = [],
): Promise<CheckoutTruth> {
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
    ...(await readMoney(stripe, intent, aftermath)),
  };
}

/**
 * Searches the provider's list for a payment's charge whose response was lost too long ago to retry.
 * @returns the payment intent's id, or null if there is none
 */
export async function findCharge(
  stripe: Stripe,
  wanted: { paymentId: string; customer: string; since: Date },
): Promise<string | null> {
  // Allow for clock skew.
  const since = Math.floor(wanted.since.getTime() / 1000) - CLOCK_SKEW_SECONDS;
  const list = stripe.paymentIntents.list({ customer: wanted.customer, created: { gte: since }, limit: MAX_LISTED });
  const intents = await list.autoPagingToArray({ limit: MAX_INTENTS });
  return intents.find((intent) => intent.metadata["payment_id"] === wanted.paymentId)?.id ?? null;
}

type Money = Pick<
  CheckoutTruth,
  "paymentIntentId" | "paymentIntentStatus" | "failureCode" | "card" | "method" | "refunds" | "disputes" | "warnings"
>;

async function readMoney(stripe: Stripe, intent: Stripe.PaymentIntent | null, aftermath: readonly Aftermath[]): Promise<Money> {
  const charge = await expandReference(intent?.latest_charge ?? null, (id) => stripe.charges.retrieve(id));
  const charged = intent !== null && charge !== null;
  const has = (what: Aftermath, known: boolean) => charged && (known || aftermath.includes(what));
  const about = { payment_intent: intent?.id ?? "", limit: MAX_LISTED };
  const [refunds, disputes, warnings] = await Promise.all([
    has("refunds", (charge?.amount_refunded ?? 0) > 0) ? stripe.refunds.list(about) : NONE,
    has("disputes", charge?.disputed === true) ? stripe.disputes.list(about) : NONE,
    has("warnings", false) ? stripe.radar.earlyFraudWarnings.list(about) : NONE,
  ]);
  const error = intent?.last_payment_error ?? null;
  return {
    paymentIntentId: intent?.id ?? null,
    paymentIntentStatus: intent?.status ?? null,
    // `card_declined` is too general; the decline code is specific.
    failureCode: (error?.code === "card_declined" ? error.decline_code : error?.code) ?? null,
    card: cardOf(charge),
    method: keptMethod(intent),
    refunds: refunds.data,
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
function presentedBy({ presentment_details: shown, currency }: Stripe.Checkout.Session): CheckoutTruth["presented"] {
  if (shown === undefined || shown.presentment_currency === currency) return null;
  return { amount: BigInt(shown.presentment_amount), currency: shown.presentment_currency };
}

function cardOf(charge: Stripe.Charge | null): CardTruth | null {
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
function otherMethod(details: Stripe.Charge.PaymentMethodDetails): CardTruth {
  const { type } = details;
  const account = (details as unknown as Record<string, { last4?: string | null; fingerprint?: string | null } | undefined>)[
    type
  ];
  return { brand: type, last4: account?.last4 ?? null, fingerprint: account?.fingerprint ?? null, authenticated: false };
}

/** An object that Stripe gave as its id only. */
async function expandReference<T extends object>(
  reference: string | T | null,
  retrieve: (id: string) => Promise<T>,
): Promise<T | null> {
  return typeof reference === "string" ? retrieve(reference) : reference;
}
