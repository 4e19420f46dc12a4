import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { uuidv7 } from "uuidv7";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { RefundStatus } from "../record/billing.tables.ts";
import { fromCents } from "../record/cents.ts";
import { markReturnFailed, type Payment } from "../record/payment.store.ts";
import { findRefund, insertRefund, saveRefund, type Refund } from "./refund.store.ts";
import { giveRefundBack, takeRefund } from "./take-refund.ts";
import type { Context } from "../../context.ts";

const RANK: Record<RefundStatus, number> = { ordered: 0, pending: 1, succeeded: 2, failed: 3 };
/** A bank may take weeks; the provider sends an event, and is polled at this interval in case it got lost. */
const PENDING_LOOK_MS = 6 * 60 * 60 * 1000;

export interface Booked {
  readonly payment: Payment;
  /** Whether the customer's balance changed. */
  readonly moved: boolean;
}

/**
 * Converges the payment's refunds to the provider's state. Each only moves forward, and failed is final, so
 * states may be applied in any order and any number of times. Needs the payment's lock.
 */
export async function bookRefunds(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  seen: readonly Stripe.Refund[],
): Promise<Booked> {
  let booked: Booked = { payment, moved: false };
  for (const refund of seen) {
    const after = await bookRefund(tx, ctx, booked.payment, refund);
    booked = { payment: after.payment, moved: booked.moved || after.moved };
  }
  return booked;
}

async function bookRefund(tx: Transaction, ctx: Context, payment: Payment, seen: Stripe.Refund): Promise<Booked> {
  const orderId = seen.metadata?.["refund_id"] ?? "";
  const known = await findRefund(tx, {
    paymentId: payment.id,
    providerRefundId: seen.id,
    orderId: isUuid(orderId) ? orderId : null,
  });
  const status = statusOf(seen);
  // Given up here but sent after all: money left without a booking.
  const sentAfterAll = known?.status === "failed" && known.provider_refund_id === null && status !== "failed";
  if (known === undefined || sentAfterAll) return bookForeign(tx, ctx, payment, seen);
  if (RANK[status] <= RANK[known.status]) return { payment, moved: false };
  await advance(tx, ctx, known, { status, providerRefundId: seen.id, failure: seen.failure_reason ?? null });
  if (status !== "failed") return { payment, moved: false };
  ctx.log.warn({ payment_id: payment.id, refund_id: known.id }, "refund did not reach the card");
  await markReturnFailed(tx, payment.id);
  return { payment: await giveRefundBack(tx, ctx, known), moved: true };
}

/** Made directly at the provider. */
async function bookForeign(tx: Transaction, ctx: Context, payment: Payment, seen: Stripe.Refund): Promise<Booked> {
  const amountMicros = fromCents(seen.amount);
  const status = statusOf(seen);
  if (status === "failed") {
    const now = ctx.clock.now();
    await insertRefund(tx, {
      id: uuidv7(),
      payment_id: payment.id,
      customer_id: payment.customer_id,
      withdrawal_id: null,
      origin: "provider",
      amount_micros: amountMicros,
      status,
      provider_refund_id: seen.id,
      failure: seen.failure_reason ?? null,
      next_try_at: null,
      created_at: now,
      settled_at: now,
    });
    return { payment, moved: false };
  }
  if (payment.refunded_micros + amountMicros > payment.charge_micros) {
    // A refund of ours that the provider refused and somebody then made there by hand.
    ctx.log.error({ payment_id: payment.id, provider_refund_id: seen.id }, "more is refunded than was paid");
    return { payment, moved: false };
  }
  const taken = await takeRefund(tx, ctx, payment, { origin: "provider", amountMicros, atProvider: { id: seen.id, status } });
  return { payment: taken.payment, moved: true };
}

/** Records the state of a refund. */
export async function advance(
  tx: Tx,
  ctx: Context,
  known: Refund,
  change: { status: "pending" | "succeeded" | "failed"; providerRefundId: string | null; failure: string | null },
): Promise<void> {
  const now = ctx.clock.now();
  const pending = change.status === "pending";
  await saveRefund(tx, known.id, {
    ...change,
    nextTryAt: pending ? new Date(now.getTime() + PENDING_LOOK_MS) : null,
    settledAt: pending ? null : now,
  });
}

function statusOf({ status }: Stripe.Refund): "pending" | "succeeded" | "failed" {
  if (status === "succeeded") return "succeeded";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}
