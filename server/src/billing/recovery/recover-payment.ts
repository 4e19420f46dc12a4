import type Stripe from "stripe";
import { findCustomer, recoverCustomer } from "../../accounts/accounts.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { keepCard } from "../cards/keep-card.ts";
import { findCardByMethod, markRemoved, storeProviderCustomer } from "../cards/saved-card.store.ts";
import { readOrderMetadata, type RecordedOrder } from "../record/provider-metadata.ts";
import { insertPayment, lockPaymentsOf, readPayment, type Payment } from "../record/payment.store.ts";
import type { Context } from "../../context.ts";

/**
 * Writes a payment again that only the provider remembers, because the database was restored from an earlier back-up. Books nothing:
 * the caller converges it like any other payment, and the poller does if the process dies in between. A customer who registered after the
 * back-up gets their account again, with the address that they paid with.
 * @returns null if the charge is not of this installation, or if its customer's address now belongs to another account
 * @throws errors of the provider or the database
 */
export async function recoverPayment(ctx: Context, intentId: string): Promise<Payment | null> {
  const intent = await ctx.stripe.paymentIntents.retrieve(intentId, { expand: ["payment_method", "customer"] });
  const order = readOrderMetadata(ctx.config.publicUrl, intent.metadata);
  if (order === null) return null;
  const session = await sessionOf(ctx.stripe, intentId);
  const payment = await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, order.customer_id);
    const known = await readPayment(tx, order.payment_id);
    if (known !== undefined) return known;
    if (!(await customerExists(tx, ctx, { order, session, intent }))) return null;
    return insertPayment(tx, {
      id: order.payment_id,
      customer_id: order.customer_id,
      kind: order.purpose,
      package_id: order.package_id ?? null,
      charge_micros: order.charge_micros,
      bonus_micros: order.bonus_micros,
      keeps_card: order.keeps_card !== undefined,
      request_key: null,
      session_id: session?.id ?? null,
      payment_intent_id: intent.id,
      saved_card_id: session === null ? await savedCard(tx, ctx, { order, intent }) : null,
      created_at: order.ordered_at,
      expires_at: order.ordered_at,
      next_check_at: ctx.clock.now(),
    });
  });
  if (payment !== null) ctx.log.warn({ payment_id: payment.id, payment_intent_id: intentId }, "forgotten payment recovered");
  return payment;
}

/** The checkout that led to a charge; null if a saved card was charged. */
export async function sessionOf(stripe: Stripe, intentId: string): Promise<Stripe.Checkout.Session | null> {
  const { data } = await stripe.checkout.sessions.list({ payment_intent: intentId, limit: 1 });
  return data[0] ?? null;
}

async function customerExists(
  tx: Transaction,
  ctx: Context,
  { order, session, intent }: { order: RecordedOrder; session: Stripe.Checkout.Session | null; intent: Stripe.PaymentIntent },
): Promise<boolean> {
  const { customer_id: id, ordered_at: createdAt } = order;
  const atProvider = typeof intent.customer === "string" || intent.customer?.deleted === true ? null : intent.customer;
  if ((await findCustomer(tx, id)) === undefined) {
    const email = session?.customer_details?.email ?? session?.customer_email ?? atProvider?.email ?? null;
    if (email === null || !(await recoverCustomer(tx, ctx, { id, email, createdAt }))) return false;
  }
  if (atProvider !== null)
    await storeProviderCustomer(tx, { customerId: id, providerCustomerId: atProvider.id, now: ctx.clock.now() });
  return true;
}

/** The card of a charge without a checkout. @returns its id; a card that was removed since stays removed */
async function savedCard(
  tx: Transaction,
  ctx: Context,
  { order, intent }: { order: RecordedOrder; intent: Stripe.PaymentIntent },
): Promise<string> {
  const { payment_method: method } = intent;
  if (method === null || typeof method === "string") throw new Error(`The charge ${intent.id} names no card.`);
  const known = await findCardByMethod(tx, method.id);
  if (known !== undefined) return known.id;
  const id = await keepCard(tx, ctx, { customerId: order.customer_id, method, authenticated: false });
  if (id === null) throw new Error(`The charge ${intent.id} is of another kind than a card.`);
  const now = ctx.clock.now();
  if (method.customer === null) await markRemoved(tx, id, { removed: now, detached: now });
  return id;
}
