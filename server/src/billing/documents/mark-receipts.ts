import { Stripe } from "stripe";
import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer, type Profile } from "../../accounts/accounts.ts";
import { receiptMark } from "../record/provider-metadata.ts";
import { deleteReceiptToMark, receiptsToMark, type ReceiptToMark } from "./receipt.store.ts";
import type { Context } from "../../context.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Seller } from "../../platform/settings/seller.ts";
import { cardName, creditReceived } from "./document-texts.ts";
import { taxOf } from "./tax-within.ts";

const MAX_PER_RUN = 200;

interface ReceiptToMail {
  readonly id: string;
  readonly number: string;
  readonly kind: ReceiptKind;
  readonly amount_micros: bigint;
  readonly bonus_micros: bigint;
  readonly tax_micros: bigint | null;
  readonly card_brand: string | null;
  readonly card_last4: string | null;
  readonly paid_at: Date;
  readonly issued_at: Date;
  readonly sample: boolean;
  readonly seller: Seller;
  readonly for_other: boolean;
}

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

/** Queues the mail with a receipt's content and a link to its page. */
async function mailReceipt(
  tx: Tx,
  buyer: Pick<Profile, "name" | "email" | "language" | "isGuest">,
  receipt: ReceiptToMail,
): Promise<void> {
  const { seller } = receipt;
  const tax = taxOf(receipt);
  const credit = creditReceived(receipt);
  await enqueueMail(tx, {
    template: "receipt",
    data: {
      name: buyer.name,
      receiptId: receipt.id,
      kind: receipt.kind,
      number: receipt.number,
      amount: formatDollars(receipt.amount_micros),
      bonus: receipt.bonus_micros === 0n ? null : formatDollars(receipt.bonus_micros),
      credited: credit === null ? null : formatDollars(credit),
      tax: tax === null ? null : { percent: tax.percent, amount: formatDollars(tax.amountMicros) },
      card: cardName(receipt),
      at: receipt.paid_at.toISOString(),
      seller: [seller.name, ...seller.address, ...(seller.taxId === null ? [] : [seller.taxId])],
      taxNote: seller.taxNote,
      sample: receipt.sample,
      ...(buyer.isGuest ? { guest: true } : {}),
      ...(receipt.for_other ? { forOther: true } : {}),
    },
    to: buyer.email,
    language: buyer.language,
    key: `receipt ${receipt.id}`,
    at: receipt.issued_at,
  });
}
