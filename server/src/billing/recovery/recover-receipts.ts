import type Stripe from "stripe";
import { insertRecoveredReceipt, placeInSeries, readLastPlaces, skipNumbers } from "../documents/receipt.store.ts";
import { bounded, changedIntents, refundsOf } from "../record/money-events.ts";
import { readOrderMetadata, markedNumbers, readReceiptMark } from "../record/provider-metadata.ts";
import { readRefundMetadata } from "../refunds/refund-metadata.ts";
import { readPayment } from "../record/payment.store.ts";
import { findRefund } from "../refunds/refund.store.ts";
import type { Context } from "../../context.ts";

const PAGE = 100;
/** Numbers between the highest known one and the next, for receipts that were issued but not marked at the provider yet. */
const GAP = 1_000;

export interface RecoveredReceipts {
  /** Receipts that keep their number. */
  readonly recovered: number;
  /** New receipts of this year have numbers above this one, in each series. */
  readonly above: number;
}

/**
 * Reads the numbers of receipts that were issued since the back-up from the provider, where every payment and refund keeps its own. The job
 * that issues receipts uses them; new receipts begin at least a thousand numbers higher, at a round number, because the latest may not have
 * been marked.
 * @param since.above from an earlier call for the same restore
 */
export async function recoverReceipts(ctx: Context, since: { from: Date; above: number | null }): Promise<RecoveredReceipts> {
  const { db } = ctx.handle;
  const query = { created: { gte: Math.floor(since.from.getTime() / 1000) }, limit: PAGE };
  const year = ctx.clock.now().getUTCFullYear();
  const places = await readLastPlaces(db, year);
  let recovered = 0;
  const found = async (metadata: Stripe.Metadata | null, subject: { id: string; receipt_id: string | null } | undefined) => {
    for (const sequence of markedNumbers(metadata, year)) {
      const { series, place } = placeInSeries(sequence);
      places.set(series, Math.max(places.get(series) ?? 0, place));
    }
    const mark = readReceiptMark(metadata);
    if (mark === null || subject === undefined || subject.receipt_id !== null) return;
    const { issuedAt: issued_at, sequence } = mark;
    if (await insertRecoveredReceipt(db, { subject_id: subject.id, year: mark.year, sequence, issued_at })) recovered += 1;
  };
  const readPaid = async ({ metadata }: Stripe.PaymentIntent) => {
    const order = readOrderMetadata(ctx.config.publicUrl, metadata);
    if (order !== null) await found(metadata, await readPayment(db, order.payment_id));
  };
  const readRefunded = async ({ id, metadata }: Stripe.Refund) => {
    const paymentId = metadata?.["payment_id"] ?? "";
    if (readRefundMetadata(ctx.config.publicUrl, { paymentId, metadata }) === null) return;
    await found(metadata, await findRefund(db, { paymentId, providerRefundId: id, orderId: null }));
  };
  for await (const intent of bounded(ctx.stripe.paymentIntents.list(query))) await readPaid(intent);
  for await (const refund of bounded(ctx.stripe.refunds.list(query))) await readRefunded(refund);
  // Ordered earlier, but paid or refunded since.
  for await (const { intentId } of changedIntents(ctx.stripe, since.from)) {
    await readPaid(await ctx.stripe.paymentIntents.retrieve(intentId));
    for (const refund of await refundsOf(ctx.stripe, intentId)) await readRefunded(refund);
  }
  const above = since.above ?? (Math.floor(Math.max(0, ...places.values()) / GAP) + 2) * GAP;
  await skipNumbers(db, { year, series: [...new Set([0, ...places.keys()])], upTo: above });
  return { recovered, above };
}
