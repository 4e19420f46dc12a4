import type Stripe from "stripe";

/** Objects of the provider per list. Ends a list that would never end; nobody keeps the objects in memory. */
const MAX_OBJECTS = 10_000_000;
const PAGE = 100;

/** Events by which money moves long after its charge was created. */
const MONEY_EVENTS = [
  "checkout.session.async_payment_succeeded",
  "charge.refunded",
  "charge.refund.updated",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
  "radar.early_fraud_warning.created",
  "radar.early_fraud_warning.updated",
] as const satisfies readonly Stripe.Event["type"][];

/**
 * The charges that the provider's events since `from` are about, whether the events were delivered or not: a database that was restored from
 * an earlier back-up has forgotten delivered ones. The provider keeps events for 30 days.
 */
export async function* changedIntents(
  stripe: Stripe,
  from: Date,
): AsyncGenerator<{ intentId: string; metadata: Stripe.Metadata }> {
  const seen = new Set<string>();
  const created = { gte: Math.floor(from.getTime() / 1000) };
  for await (const event of bounded(stripe.events.list({ types: [...MONEY_EVENTS], created, limit: PAGE }))) {
    const object = event.data.object as Pick<Stripe.Checkout.Session, "payment_intent"> & { metadata?: Stripe.Metadata | null };
    const intentId = typeof object.payment_intent === "string" ? object.payment_intent : object.payment_intent?.id;
    const metadata = object.metadata ?? {};
    const key = `${intentId} ${metadata["payment_id"] ?? ""}`;
    if (intentId === undefined || seen.has(key)) continue;
    seen.add(key);
    yield { intentId, metadata };
  }
}

/** The most that the provider's library reads of one list; a payment has at most 50,000 cents. */
const MAX_REFUNDS = 10_000;

/** All refunds of a payment, newest first. */
export function refundsOf(stripe: Stripe, paymentIntentId: string): Promise<Stripe.Refund[]> {
  return stripe.refunds.list({ payment_intent: paymentIntentId, limit: PAGE }).autoPagingToArray({ limit: MAX_REFUNDS });
}

/** Limits a list. More objects are an error, because a partial comparison could hide differences. */
export async function* bounded<Item>(list: AsyncIterable<Item>): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of list) {
    count += 1;
    if (count > MAX_OBJECTS) throw new Error(`More than ${MAX_OBJECTS} objects: reconcile a shorter span.`);
    yield item;
  }
}
