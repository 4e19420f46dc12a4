import { receiptMark } from "../record/receipt-mark.ts";
import { deleteReceiptToMark, receiptsToMark } from "./receipt.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 200;

/**
 * Job: writes the numbers of issued receipts to their payments and refunds at the provider. A database that was restored from a back-up
 * learns them from there, so that no number is given twice and each receipt keeps its own.
 */
export async function markReceipts(ctx: Context, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  for (const receipt of await receiptsToMark(db, MAX_PER_RUN)) {
    if (signal.aborted) return;
    const { payment_intent_id: intentId, provider_refund_id: refundId } = receipt;
    const change = { metadata: receiptMark(receipt) };
    if (receipt.refund_id === null) {
      if (intentId !== null) await ctx.stripe.paymentIntents.update(intentId, change);
    } else if (refundId !== null && receipt.origin !== "outside") await ctx.stripe.refunds.update(refundId, change);
    await deleteReceiptToMark(db, receipt.id);
  }
}
