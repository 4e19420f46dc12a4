import type Stripe from "stripe";

/** What Stripe says about a checkout session and the money that moved through it. Amounts in cents. */
export interface CheckoutTruth {
  /** Null for a card that was charged without a checkout. */
  readonly sessionId: string | null;
  /** The payment the session says it is for. */
  readonly paymentId: string | null;
  readonly sessionStatus: Stripe.Checkout.Session["status"];
  readonly paid: boolean;
  readonly amountCents: number | null;
  readonly currency: string | null;
  readonly live: boolean;
  readonly paymentIntentId: string | null;
  readonly paymentIntentStatus: string | null;
  /** Why the card did not pay at its last try. */
  readonly failureCode: string | null;
  readonly card: CardTruth | null;
  /** The payment method, if it belongs to a customer there: a saved card. */
  readonly method: Stripe.PaymentMethod | null;
  /** Only what was requested. Objects never vanish at Stripe, so a list without one is merely older. */
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
  readonly warnings: readonly Stripe.Radar.EarlyFraudWarning[];
}

/** The card that paid. */
export interface CardTruth {
  readonly brand: string | null;
  readonly last4: string | null;
  readonly fingerprint: string | null;
  /** Its owner confirmed the payment at the bank. */
  readonly authenticated: boolean;
}

/** What may have happened to a payment after it was paid. */
export type Aftermath = "refunds" | "disputes" | "warnings";

/** Stripe's largest page. No card payment of ours is given back in more parts. */
const MOST_LISTED = 100;
/** Of one customer in the hour in which a charge is looked for. */
const MOST_INTENTS = 1_000;
const CLOCK_SKEW_SECONDS = 300;

/**
 * Asks Stripe: the session, and with it its payment intent and charge; refunds and disputes when the charge has any or
 * when they are what the caller wants to know about.
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
    // Not `status: complete`: that also comes before the money of slow payment methods.
    paid: session.payment_status === "paid",
    amountCents: session.amount_total,
    currency: session.currency,
    live: session.livemode,
    ...(await readMoney(stripe, intent, aftermath)),
  };
}

/** As `readCheckoutTruth`, for a card that was charged without a checkout. What has ended without money counts as complete. */
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
    ...(await readMoney(stripe, intent, aftermath)),
  };
}

/**
 * Looks for the charge of a payment in the provider's list: its answer got lost, and too long ago to ask again.
 * @returns the payment intent's id; null when the provider knows of none
 */
export async function findCharge(
  stripe: Stripe,
  wanted: { paymentId: string; customer: string; since: Date },
): Promise<string | null> {
  // Clocks differ.
  const since = Math.floor(wanted.since.getTime() / 1000) - CLOCK_SKEW_SECONDS;
  const list = stripe.paymentIntents.list({ customer: wanted.customer, created: { gte: since }, limit: MOST_LISTED });
  const intents = await list.autoPagingToArray({ limit: MOST_INTENTS });
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
  const about = { payment_intent: intent?.id ?? "", limit: MOST_LISTED };
  const [refunds, disputes, warnings] = await Promise.all([
    has("refunds", (charge?.amount_refunded ?? 0) > 0) ? stripe.refunds.list(about) : NONE,
    has("disputes", charge?.disputed === true) ? stripe.disputes.list(about) : NONE,
    has("warnings", false) ? stripe.radar.earlyFraudWarnings.list(about) : NONE,
  ]);
  const error = intent?.last_payment_error ?? null;
  return {
    paymentIntentId: intent?.id ?? null,
    paymentIntentStatus: intent?.status ?? null,
    // `card_declined` says nothing; the decline code does.
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

function cardOf(charge: Stripe.Charge | null): CardTruth | null {
  const card = charge?.payment_method_details?.card;
  if (card === undefined || card === null) return null;
  return {
    brand: card.brand ?? null,
    last4: card.last4 ?? null,
    fingerprint: card.fingerprint ?? null,
    authenticated: card.three_d_secure?.result === "authenticated",
  };
}

/** An object that Stripe gave as its id only. */
async function expandReference<T extends object>(
  reference: string | T | null,
  retrieve: (id: string) => Promise<T>,
): Promise<T | null> {
  return typeof reference === "string" ? retrieve(reference) : reference;
}
