import { DAY_MS } from "@farline/domain/durations.ts";
import { Stripe } from "stripe";
import { toCents } from "../record/cents.ts";
import { partiesOf } from "../credit-for-others/book-gift.ts";
import { lockParties } from "../record/lock-parties.ts";
import { refundsOf } from "../record/money-events.ts";
import { refundMetadata } from "./refund-metadata.ts";
import { lockPayment, markReturnFailed, readPayment, type Payment } from "../record/payment.store.ts";
import { advance, bookRefunds } from "./book-refunds.ts";
import { readRefund, type Refund } from "./refund.store.ts";
import { rebookDisputes } from "./debit-dispute.ts";
import { restoreRefund } from "./debit-refund.ts";
import type { Context } from "../../context.ts";

/** Statuses of final refusals. Other errors are retried. */
const FIRST_REFUSAL = 400;
const LAST_REFUSAL = 499;
const NOT_A_REFUSAL: readonly number[] = [401, 403, 408, 409, 425, 429];
const FAILURE_LENGTH = 300;
/** Stripe keeps idempotency keys for at least a day. Afterwards only a query can find an earlier attempt. */
const GIVE_UP_AFTER_MS = 3 * DAY_MS;

/**
 * Sends a refund, already debited from the ledger, through the provider. Safe to repeat: the idempotency key is the refund's id, and every
 * retry queries first. A refusal restores the money in the ledger; with an unknown outcome the refund stays ordered and the job retries.
 */
export async function placeRefund(ctx: Context, refundId: string): Promise<void> {
  try {
    const refund = await readRefund(ctx.handle.db, refundId);
    if (refund === undefined || refund.status !== "ordered") return;
    const payment = await readPayment(ctx.handle.db, refund.payment_id);
    if (payment === undefined || payment.payment_intent_id === null)
      throw new Error(`Refund ${refundId} has no payment to refund.`);
    const again = refund.tries > 0;
    if (again && (await findAtProvider(ctx, refund, payment.payment_intent_id))) return;
    if (again && ctx.clock.now().getTime() - refund.created_at.getTime() > GIVE_UP_AFTER_MS) {
      ctx.log.error({ refund_id: refund.id }, "giving up on a refund that did not reach the provider");
      return await refuse(ctx, refund, "The card provider refused the refund.");
    }
    await order(ctx, refund, payment.payment_intent_id);
  } catch (error) {
    ctx.log.warn({ err: error, refund_id: refundId }, "refund not placed yet");
  }
}

async function order(ctx: Context, refund: Refund, paymentIntentId: string): Promise<void> {
  try {
    const made = await ctx.stripe.refunds.create(
      {
        payment_intent: paymentIntentId,
        amount: toCents(refund.amount_micros),
        reason: refund.origin === "fraud_warning" ? "fraudulent" : "requested_by_customer",
        metadata: refundMetadata(ctx.config.publicUrl, refund),
      },
      { idempotencyKey: `re:${refund.id}` },
    );
    await book(ctx, refund.payment_id, [made]);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    ctx.log.error({ err: error, refund_id: refund.id }, "refund refused by the provider");
    await refuse(ctx, refund, error.message);
  }
}

/** Finds the refund at the provider, in case an earlier response was lost. @returns whether it exists there */
async function findAtProvider(ctx: Context, refund: Refund, paymentIntentId: string): Promise<boolean> {
  await book(ctx, refund.payment_id, await refundsOf(ctx.stripe, paymentIntentId));
  return (await readRefund(ctx.handle.db, refund.id))?.status !== "ordered";
}

async function book(ctx: Context, paymentId: string, providerRefunds: readonly Stripe.Refund[]): Promise<void> {
  const booked = await ctx.transaction(async (tx) => {
    const payment = await lockPayment(tx, paymentId);
    await lockParties(tx, ctx, await partiesOf(tx, payment));
    return bookRefunds(tx, ctx, payment, providerRefunds);
  });
  publishRefund(ctx, booked.payment);
}

/** Fails a refund that was not sent and restores the money in the ledger. */
async function refuse(ctx: Context, refund: Refund, failure: string): Promise<void> {
  const payment = await ctx.transaction(async (tx) => {
    const locked = await lockPayment(tx, refund.payment_id);
    await lockParties(tx, ctx, await partiesOf(tx, locked));
    const now = await readRefund(tx, refund.id);
    if (now === undefined || now.status !== "ordered") return locked;
    await advance(tx, ctx, now, {
      status: "failed",
      providerRefundId: null,
      failure: failure.slice(0, FAILURE_LENGTH),
      pendingReason: null,
    });
    await markReturnFailed(tx, locked.id);
    return rebookDisputes(tx, ctx, await restoreRefund(tx, ctx, now));
  });
  publishRefund(ctx, payment);
}

function publishRefund(ctx: Context, payment: Payment): void {
  ctx.live.publish(payment.customer_id, { type: "balance" });
  ctx.live.publish(payment.customer_id, { type: "transactions" });
}

function isRefusal(error: unknown): error is InstanceType<typeof Stripe.errors.StripeError> {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  const status = error.statusCode ?? 0;
  return status >= FIRST_REFUSAL && status <= LAST_REFUSAL && !NOT_A_REFUSAL.includes(status);
}
