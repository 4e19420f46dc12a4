import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { uuidv7 } from "uuidv7";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { RefundStatus } from "../record/billing.tables.ts";
import { fromCents } from "../record/cents.ts";
import { pendingReasonOf } from "../record/pending-reason.ts";
import { readRefundMetadata } from "./refund-metadata.ts";
import { markReturnFailed, type Payment } from "../record/payment.store.ts";
import {
  findRefund,
  insertRefund,
  readRefund,
  recoverWithdrawal,
  savePendingReason,
  saveRefund,
  type Refund,
} from "./refund.store.ts";
import { rebookDisputes } from "./debit-dispute.ts";
import { restoreRefund, debitRefund, type Booked, type RefundToDebit } from "./debit-refund.ts";
import type { Context } from "../../context.ts";

const RANK: Record<RefundStatus, number> = { ordered: 0, pending: 1, succeeded: 2, failed: 3 };
/** A bank may take weeks. The provider sends an event, and is polled at this interval in case it was lost. */
const PENDING_CHECK_MS = 6 * 60 * 60 * 1000;

/**
 * Converges the payment's refunds to the provider's state. Statuses only move forward and failed is final, so states may arrive in any
 * order and any number of times. Requires the payment's lock.
 */
export async function bookRefunds(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  providerRefunds: readonly Stripe.Refund[],
): Promise<Booked> {
  let booked: Booked = { payment, moved: false };
  for (const refund of providerRefunds) {
    const after = await bookRefund(tx, ctx, booked.payment, refund);
    booked = { payment: after.payment, moved: booked.moved || after.moved };
  }
  return booked;
}

async function bookRefund(tx: Transaction, ctx: Context, payment: Payment, providerRefund: Stripe.Refund): Promise<Booked> {
  const orderId = providerRefund.metadata?.["refund_id"] ?? "";
  const known = await findRefund(tx, {
    paymentId: payment.id,
    providerRefundId: providerRefund.id,
    orderId: isUuid(orderId) ? orderId : null,
  });
  const status = statusOf(providerRefund);
  // Given up here but sent anyway, so the money left without a booking.
  const sentAfterAll = known?.status === "failed" && known.provider_refund_id === null && status !== "failed";
  if (known === undefined || sentAfterAll) return bookForeign(tx, ctx, payment, providerRefund);
  const pendingReason = pendingReasonOf(providerRefund);
  if (RANK[status] <= RANK[known.status]) {
    if (status === "pending" && known.status === "pending" && pendingReason !== known.pending_reason)
      await savePendingReason(tx, known.id, pendingReason);
    return { payment, moved: false };
  }
  const failure = providerRefund.failure_reason ?? null;
  await advance(tx, ctx, known, { status, providerRefundId: providerRefund.id, failure, pendingReason });
  if (status !== "failed") return { payment, moved: false };
  ctx.log.warn({ payment_id: payment.id, refund_id: known.id }, "refund did not reach the card");
  await markReturnFailed(tx, payment.id);
  return { payment: await rebookDisputes(tx, ctx, await restoreRefund(tx, ctx, known)), moved: true };
}

/** Books a refund that was made directly at the provider, or by us and forgotten by a restored database. */
async function bookForeign(tx: Transaction, ctx: Context, payment: Payment, providerRefund: Stripe.Refund): Promise<Booked> {
  const amountMicros = fromCents(providerRefund.amount);
  const status = statusOf(providerRefund);
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
      provider_refund_id: providerRefund.id,
      failure: providerRefund.failure_reason ?? null,
      next_try_at: null,
      created_at: now,
      settled_at: now,
    });
    return { payment, moved: false };
  }
  if (payment.refunded_micros + amountMicros > payment.charge_micros) {
    // For example, a refund that the provider refused and an operator then made there.
    ctx.log.error({ payment_id: payment.id, provider_refund_id: providerRefund.id }, "refunds exceed the payment");
    return { payment, moved: false };
  }
  const taken = await debitRefund(tx, ctx, payment, {
    ...(await originOf(tx, ctx, payment, providerRefund)),
    amountMicros,
    atProvider: { id: providerRefund.id, status, pendingReason: pendingReasonOf(providerRefund) },
  });
  return { payment: taken.payment, moved: true };
}

/** A forgotten refund of ours keeps its id, who ordered it and its withdrawal. */
async function originOf(
  tx: Transaction,
  { config, clock }: Context,
  payment: Payment,
  { metadata, amount }: Stripe.Refund,
): Promise<Pick<RefundToDebit, "id" | "origin" | "withdrawalId">> {
  const ours = readRefundMetadata(config.publicUrl, { paymentId: payment.id, metadata });
  if (ours === null || (await readRefund(tx, ours.refund_id)) !== undefined) return { origin: "provider" };
  const { refund_id: id, purpose: origin, withdrawal_id: withdrawalId } = ours;
  if (origin !== "withdrawal") return { id, origin };
  if (withdrawalId === undefined) return { origin: "provider" };
  const { customer_id: customerId } = payment;
  await recoverWithdrawal(tx, { id: withdrawalId, customerId, amountMicros: fromCents(amount), now: clock.now() });
  return { id, origin, withdrawalId };
}

/** Saves a refund's new status. */
export async function advance(
  tx: Tx,
  ctx: Context,
  known: Refund,
  change: {
    status: "pending" | "succeeded" | "failed";
    providerRefundId: string | null;
    failure: string | null;
    pendingReason: string | null;
  },
): Promise<void> {
  const now = ctx.clock.now();
  const pending = change.status === "pending";
  await saveRefund(tx, known.id, {
    ...change,
    nextTryAt: pending ? new Date(now.getTime() + PENDING_CHECK_MS) : null,
    settledAt: pending ? null : now,
  });
}

function statusOf({ status }: Stripe.Refund): "pending" | "succeeded" | "failed" {
  if (status === "succeeded") return "succeeded";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}
