import type Stripe from "stripe";
import { deliveriesOf, type DeliveryView } from "../events/delivery.store.ts";
import { eventsAbout, findObject, listObjects } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { noSuch, StripeApiError } from "../api/stripe-error.ts";
import { kindOf } from "../store/stripe-id.ts";

const PAGE_SIZE = 20;

const MAX_PER_PAYMENT = 100;

export interface EventView {
  event: Stripe.EventBase;
  deliveries: readonly DeliveryView[];
}

export interface Page<Row> {
  rows: readonly Row[];
  /** Cursor of the next page; null on the last. */
  after: string | null;
}

export interface PaymentView {
  charge: Stripe.Charge;
  refunds: readonly Stripe.Refund[];
  disputes: readonly Stripe.Dispute[];
  warnings: readonly Stripe.Radar.EarlyFraudWarning[];
  events: readonly EventView[];
}

/** Newest first. */
export async function chargePage(tx: Tx, after: string | undefined): Promise<Page<Stripe.Charge>> {
  const { rows, hasMore } = await listObjects<Stripe.Charge>(tx, { type: "charge", limit: PAGE_SIZE, startingAfter: after });
  return { rows, after: hasMore ? (rows.at(-1)?.id ?? null) : null };
}

/** Checkouts with a pending payment, newest first. */
export async function pendingSessions(tx: Tx): Promise<Stripe.Checkout.Session[]> {
  const equal = { status: "complete", payment_status: "unpaid" };
  const { rows } = await listObjects<Stripe.Checkout.Session>(tx, { type: "checkout.session", limit: PAGE_SIZE, equal });
  const failed = await Promise.all(rows.map(({ payment_intent: id }) => hasFailed(tx, id as string)));
  return rows.filter((_, index) => failed[index] === false);
}

async function hasFailed(tx: Tx, intentId: string): Promise<boolean> {
  const intent = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", intentId);
  return intent?.data.status === "requires_payment_method";
}

/** Newest first. */
export async function eventPage(tx: Tx, after: string | undefined): Promise<Page<EventView>> {
  const { rows, hasMore } = await listObjects<Stripe.EventBase>(tx, { type: "event", limit: PAGE_SIZE, startingAfter: after });
  return { rows: await withDeliveries(tx, rows), after: hasMore ? (rows.at(-1)?.id ?? null) : null };
}

/** @throws StripeApiError for an unknown payment */
export async function paymentView(tx: Tx, reference: string): Promise<PaymentView> {
  const charge = await loadPayment(tx, reference);
  const about = { limit: MAX_PER_PAYMENT, equal: { charge: charge.id } };
  const refunds = await listObjects<Stripe.Refund>(tx, { type: "refund", ...about });
  const disputes = await listObjects<Stripe.Dispute>(tx, { type: "dispute", ...about });
  const warnings = await listObjects<Stripe.Radar.EarlyFraudWarning>(tx, { type: "radar.early_fraud_warning", ...about });
  const events = await eventsAbout<Stripe.EventBase>(tx, charge.payment_intent as string, MAX_PER_PAYMENT);
  return {
    charge,
    refunds: refunds.rows,
    disputes: disputes.rows,
    warnings: warnings.rows,
    events: await withDeliveries(tx, events),
  };
}

async function withDeliveries(tx: Tx, events: readonly Stripe.EventBase[]): Promise<EventView[]> {
  const deliveries = await deliveriesOf(
    tx,
    events.map(({ id }) => id),
  );
  return events.map((event) => ({ event, deliveries: deliveries.filter(({ eventId }) => eventId === event.id) }));
}

/** Locks the charge of a payment, given the id of its charge, payment intent or Checkout session. @throws StripeApiError if none exists */
export async function loadPayment(tx: Tx, reference: string): Promise<Stripe.Charge> {
  const chargeId = await chargeIdOf(tx, reference);
  const found = chargeId === null ? null : await findObject<Stripe.Charge>(tx, "charge", chargeId, true);
  if (!found) throw noSuch("payment", reference);
  return found.data;
}

async function chargeIdOf(tx: Tx, reference: string): Promise<string | null> {
  switch (kindOf(reference)) {
    case "charge":
      return reference;
    case "payment_intent":
      return (await intentOf(tx, reference)).latest_charge as string | null;
    case "checkout.session": {
      const session = await findObject<Stripe.Checkout.Session>(tx, "checkout.session", reference);
      if (!session) throw noSuch("payment", reference);
      if (typeof session.data.payment_intent !== "string")
        throw new StripeApiError(400, "Nobody has tried to pay this session yet.");
      return (await intentOf(tx, session.data.payment_intent)).latest_charge as string | null;
    }
    default:
      return null;
  }
}

async function intentOf(tx: Tx, id: string): Promise<Stripe.PaymentIntent> {
  const intent = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", id);
  if (!intent) throw noSuch("payment", id);
  return intent.data;
}
