import { Stripe } from "stripe";
import { findCustomer } from "../../accounts/accounts.ts";
import { receiptMark } from "../record/receipt-mark.ts";
import { mailReceipt } from "./mail-receipt.ts";
import { deleteReceiptToMark, receiptsToMark, type ReceiptToMark } from "./receipt.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 200;

/**
 * Writes the numbers of issued receipts to their payments and refunds at the provider. Only then are the receipts shown and mailed, so a
 * database that was restored from a back-up learns every number that anybody has seen: none is given twice, and each receipt keeps its own.
 * @param only this receipt
 */
export async function markReceipts(ctx: Context, signal: AbortSignal, only?: string): Promise<void> {
  for (const receipt of await receiptsToMark(ctx.handle.db, { limit: MAX_PER_RUN, only })) {
    if (signal.aborted) return;
    await markAtProvider(ctx, receipt);
    await publish(ctx, receipt);
  }
}

/** A refusal is final: then the provider cannot keep the number, and the receipt does not wait for it. */
async function markAtProvider({ stripe, log }: Context, receipt: ReceiptToMark): Promise<void> {
  const change = { metadata: receiptMark(receipt) };
  const { refund_id: refundId, payment_intent_id: intent, provider_refund_id: refund } = receipt;
  try {
    if (refundId === null && intent !== null) await stripe.paymentIntents.update(intent, change);
    if (refundId !== null && refund !== null && receipt.origin !== "outside") await stripe.refunds.update(refund, change);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    log.error({ err: error, receipt: receipt.number }, "the provider does not keep this receipt's number");
  }
}

/** Queues the mail, once. */
async function publish(ctx: Context, receipt: ReceiptToMark): Promise<void> {
  await ctx.transaction(async (tx) => {
    if (!(await deleteReceiptToMark(tx, receipt.id))) return;
    const buyer = await findCustomer(tx, receipt.customer_id);
    if (buyer !== undefined) await mailReceipt(tx, buyer, receipt);
  });
  ctx.live.publish(receipt.customer_id, { type: "payment", id: receipt.payment_id });
}
