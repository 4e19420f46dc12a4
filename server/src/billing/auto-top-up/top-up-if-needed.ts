import { uuidv7 } from "uuidv7";
import type { Transaction } from "../../platform/database/database.ts";
import { insertPayment, lockPaymentsOf, type Payment } from "../record/payment.store.ts";
import { customersToWatch, readAutoTopUp, type WatchMark } from "../cards/auto-top-up.store.ts";
import { decideAutoTopUp } from "./decide-auto-top-up.ts";
import { CHARGE_FIRST_CHECK_MS, CHARGE_TRIES_MS, placeCharge } from "../checkout/place-charge.ts";
import { readAutoFacts } from "./read-auto-facts.ts";
import type { Context } from "../../context.ts";

const PAGE = 200;
const MAX_PAGES = 500;
/** Parallel charges. */
const PARALLEL = 4;

/**
 * Orders a charge of the customer's saved card if the automatic top-up is on, the credit is below its threshold,
 * and no rule forbids it. Safe to call at any time and concurrently: at most one charge is pending, and
 * the payment is recorded before the provider is asked.
 * @returns the payment to place at the provider; null if none is needed
 */
export async function orderTopUp(ctx: Context, customerId: string): Promise<Payment | null> {
  const { db } = ctx.handle;
  const settings = await readAutoTopUp(db, customerId);
  if (settings === undefined || !settings.is_on || settings.stopped_reason !== null) return null;
  const payment = await ctx.transaction((tx) => orderCharge(tx, ctx, customerId));
  if (payment === null) return null;
  ctx.log.info({ payment_id: payment.id, customer: customerId }, "automatic top-up ordered");
  ctx.live.publish(customerId, { type: "payment", id: payment.id });
  return payment;
}

/** Decides under the customer's lock, so that a concurrent decision sees this charge. */
async function orderCharge(tx: Transaction, ctx: Context, customerId: string): Promise<Payment | null> {
  await lockPaymentsOf(tx, customerId);
  const settings = await readAutoTopUp(tx, customerId);
  if (settings === undefined || settings.card_id === null) return null;
  const facts = await readAutoFacts(tx, ctx, settings);
  const now = ctx.clock.now();
  if (
    facts === undefined ||
    decideAutoTopUp(facts, { now, scale: ctx.config.limitsScale, limits: ctx.settings.current().topUpLimits }).kind !== "charge"
  )
    return null;
  return insertPayment(tx, {
    id: uuidv7(),
    customer_id: customerId,
    kind: "auto",
    package_id: null,
    saved_card_id: settings.card_id,
    charge_micros: settings.amount_micros,
    bonus_micros: 0n,
    request_key: null,
    next_check_at: new Date(now.getTime() + CHARGE_FIRST_CHECK_MS),
    expires_at: new Date(now.getTime() + CHARGE_TRIES_MS),
    created_at: now,
  });
}

/** Job: checks customers whose credit is low or in use, for missed triggers and running calls. */
export async function watchCredit(ctx: Context, signal: AbortSignal): Promise<void> {
  let after: WatchMark | null = null;
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page++) {
    const watched: WatchMark[] = await customersToWatch(ctx.handle.db, { after, limit: PAGE });
    await topUpAll(
      ctx,
      watched.map(({ id }) => id),
      signal,
    );
    after = watched.at(-1) ?? null;
    if (after === null || watched.length < PAGE) return;
  }
}

async function topUpAll(ctx: Context, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) await topUpOrRetryLater(ctx, id);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Tops up if needed; the job retries failures. */
export async function topUpOrRetryLater(ctx: Context, customerId: string): Promise<void> {
  try {
    const payment = await orderTopUp(ctx, customerId);
    if (payment !== null) await placeOrRetryLater(ctx, payment);
  } catch (error) {
    ctx.log.warn({ err: error, customer: customerId }, "automatic top-up failed; the job retries");
  }
}

/** Places an ordered charge; the job retries failures. */
export async function placeOrRetryLater(ctx: Context, payment: Payment): Promise<void> {
  await placeCharge(ctx, payment).catch((error: unknown) =>
    ctx.log.warn({ err: error, payment_id: payment.id }, "automatic top-up not placed; the job retries"),
  );
}
