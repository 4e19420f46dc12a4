import type Stripe from "stripe";

/** What Stripe says about a checkout session and the money that moved through it. Amounts in cents. */
export interface CheckoutTruth {
  readonly sessionId: string;
  /** The payment the session says it is for. */
  readonly paymentId: string | null;
  readonly sessionStatus: Stripe.Checkout.Session["status"];
  readonly paid: boolean;
  readonly amountCents: number | null;
  readonly currency: string | null;
  readonly live: boolean;
  readonly paymentIntentId: string | null;
  readonly paymentIntentStatus: string | null;
  /** In all, so far. */
  readonly refundedCents: number;
}

/** Asks Stripe: the session, and with it its payment intent and charge. */
export async function readCheckoutTruth(stripe: Stripe, sessionId: string): Promise<CheckoutTruth> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, { expand: ["payment_intent.latest_charge"] });
  const intent = await whole(session.payment_intent, (id) => stripe.paymentIntents.retrieve(id));
  const charge = await whole(intent?.latest_charge ?? null, (id) => stripe.charges.retrieve(id));
  return {
    sessionId: session.id,
    paymentId: session.metadata?.["payment_id"] ?? null,
    sessionStatus: session.status,
    // Not `status: complete`: that also comes before the money of slow payment methods.
    paid: session.payment_status === "paid",
    amountCents: session.amount_total,
    currency: session.currency,
    live: session.livemode,
    paymentIntentId: intent?.id ?? null,
    paymentIntentStatus: intent?.status ?? null,
    refundedCents: charge?.amount_refunded ?? 0,
  };
}

/** An object that Stripe gave as its id only. */
async function whole<T extends object>(reference: string | T | null, retrieve: (id: string) => Promise<T>): Promise<T | null> {
  return typeof reference === "string" ? retrieve(reference) : reference;
}
