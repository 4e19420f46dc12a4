import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import { uuidv7 } from "uuidv7";
import { findCustomer } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/database/database.ts";
import { lockPayment, type Payment } from "../record/payment.store.ts";
import { readRefund, type Refund } from "../refunds/refund.store.ts";
import {
  lateMonth,
  insertReceipt,
  insertReceiptToMark,
  linkReceiptToPayment,
  linkReceiptToRefund,
  paymentsWithoutReceipt,
  refundsWithoutReceipt,
  allocateNumber,
  returnedOf,
  takeRecoveredReceipt,
  taxRateOf,
} from "./receipt.store.ts";
import { markReceipts } from "./mark-receipts.ts";
import { taxOfNextRefund, taxWithin } from "./tax-within.ts";
import type { ServiceContext } from "../../context.ts";

const MAX_PER_RUN = 200;

/**
 * Job: issues due receipts for paid payments, completed refunds, and refunds that were returned afterwards. Due receipts are derived
 * from the payments and refunds, so a crash cannot lose one and a repetition cannot issue two.
 */
export async function issueReceipts(ctx: ServiceContext, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  for (const paymentId of await paymentsWithoutReceipt(db, MAX_PER_RUN)) {
    if (signal.aborted) return;
    await logFailure(ctx, paymentId, () => issuePaymentReceipt(ctx, paymentId));
  }
  for (const refund of await refundsWithoutReceipt(db, MAX_PER_RUN)) {
    if (signal.aborted) return;
    await logFailure(ctx, refund.payment_id, () => issueRefundReceipt(ctx, refund));
  }
  await markReceipts(ctx, signal);
}

/** Logs a failure, so that one receipt does not block the others. */
async function logFailure(ctx: ServiceContext, paymentId: string, issue: () => Promise<unknown>): Promise<void> {
  try {
    await issue();
  } catch (error) {
    ctx.log.error({ err: error, payment_id: paymentId }, "receipt not issued yet");
  }
}

/** Issues a payment's receipt and mail. @returns the new or existing receipt's id; null if the payment is not paid */
export async function issuePaymentReceipt(ctx: ServiceContext, paymentId: string): Promise<string | null> {
  return finish(
    ctx,
    await ctx.transaction(async (tx) => {
      const payment = await lockPayment(tx, paymentId);
      return { payment, receiptId: await receiptOf(tx, ctx, payment) };
    }),
  );
}

async function issueRefundReceipt(ctx: ServiceContext, due: { id: string; payment_id: string }): Promise<string | null> {
  return finish(
    ctx,
    await ctx.transaction(async (tx) => {
      const payment = await lockPayment(tx, due.payment_id);
      const refund = await readRefund(tx, due.id);
      const kind = refund === undefined ? null : dueOf(refund);
      const paidFor = kind === null ? null : await receiptOf(tx, ctx, payment);
      if (refund === undefined || kind === null || paidFor === null) return { payment, receiptId: null };
      return { payment, receiptId: await issueOf(tx, ctx, { payment, refund, kind, paidFor }) };
    }),
  );
}

function finish(ctx: ServiceContext, { payment, receiptId }: { payment: Payment; receiptId: string | null }): string | null {
  if (receiptId !== null && receiptId !== payment.receipt_id)
    ctx.live.publish(payment.customer_id, { type: "payment", id: payment.id });
  return receiptId;
}

/** Requires the payment's lock. */
async function receiptOf(tx: Tx, ctx: ServiceContext, payment: Payment): Promise<string | null> {
  if (payment.receipt_id !== null) return payment.receipt_id;
  if (payment.status !== "paid" || payment.settled_at === null) return null;
  const id = await insertNumbered(tx, ctx, {
    payment,
    kind: payment.kind === "auto" ? "auto_top_up" : "payment",
    amountMicros: payment.charge_micros,
    bonusMicros: payment.bonus_micros,
    paidAt: payment.settled_at,
    refundId: null,
    correctsId: null,
    ofPayment: null,
  });
  await linkReceiptToPayment(tx, payment.id, id);
  return id;
}

/** The kind of receipt that is due for the refund, or null. */
function dueOf(refund: Refund): ReceiptKind | null {
  if (refund.status === "succeeded" && refund.receipt_id === null)
    return refund.origin === "withdrawal" ? "withdrawal" : "refund";
  const returned = refund.status === "failed" && refund.receipt_id !== null && refund.return_receipt_id === null;
  return returned ? "refund_returned" : null;
}

async function issueOf(
  tx: Tx,
  ctx: ServiceContext,
  { payment, refund, kind, paidFor }: { payment: Payment; refund: Refund; kind: ReceiptKind; paidFor: string },
): Promise<string> {
  const returned = kind === "refund_returned";
  const id = await insertNumbered(tx, ctx, {
    payment,
    kind,
    amountMicros: refund.amount_micros,
    bonusMicros: refund.bonus_micros,
    paidAt: refund.settled_at ?? refund.created_at,
    refundId: refund.id,
    correctsId: (returned ? refund.receipt_id : null) ?? paidFor,
    ofPayment: paidFor,
  });
  await linkReceiptToRefund(tx, refund.id, { id, returned });
  return id;
}

interface ReceiptToIssue {
  readonly payment: Payment;
  readonly kind: ReceiptKind;
  readonly amountMicros: bigint;
  readonly bonusMicros: bigint;
  readonly paidAt: Date;
  readonly refundId: string | null;
  readonly correctsId: string | null;
  /** Of a refund: the receipt of its payment. */
  readonly ofPayment: string | null;
}

/** The seller as they are now; what corrects a receipt has that receipt's tax, of which the refunds before it stated a part. */
async function taxed(tx: Tx, ctx: ServiceContext, { payment, kind, amountMicros, ofPayment }: ReceiptToIssue) {
  const { seller } = ctx.config;
  if (ofPayment === null) return { seller, taxMicros: taxWithin(amountMicros, seller)?.amountMicros ?? null };
  const rate = await taxRateOf(tx, ofPayment);
  const direction = kind === "refund_returned" ? -1n : 1n;
  const taxMicros = taxOfNextRefund(await returnedOf(tx, payment.id), { amountMicros, direction }, rate);
  return { seller: { ...seller, ...rate }, taxMicros };
}

/**
 * Allocates the year's next number, writes the receipt and queues its mark at the provider and its mail, in one transaction. A receipt that
 * a restored database has forgotten gets its old number, and no second mail.
 */
async function insertNumbered(tx: Tx, ctx: ServiceContext, receiptToIssue: ReceiptToIssue): Promise<string> {
  const { payment } = receiptToIssue;
  const { mode } = ctx.config;
  const buyer = await findCustomer(tx, payment.customer_id);
  if (buyer === undefined) throw new Error(`Payment ${payment.id} has no customer.`);
  const recovered = await takeRecoveredReceipt(tx, receiptToIssue.refundId ?? payment.id);
  const issuedAt = recovered?.issued_at ?? ctx.clock.now();
  // A recovered payment was booked again, long after it was paid.
  const paidAt = recovered?.issued_at ?? receiptToIssue.paidAt;
  const { seller, taxMicros } = await taxed(tx, ctx, receiptToIssue);
  const booksMonth = await lateMonth(tx, paidAt);
  const year = recovered?.year ?? issuedAt.getUTCFullYear();
  const sequence = recovered?.sequence ?? (await allocateNumber(tx, { year, series: ctx.config.receiptSeries }));
  const receipt = {
    id: uuidv7(),
    year,
    sequence,
    customer_id: buyer.id,
    kind: receiptToIssue.kind,
    payment_id: payment.id,
    refund_id: receiptToIssue.refundId,
    corrects_id: receiptToIssue.correctsId,
    amount_micros: receiptToIssue.amountMicros,
    bonus_micros: receiptToIssue.bonusMicros,
    card_brand: payment.card_brand,
    card_last4: payment.card_last4,
    buyer_name: buyer.name,
    buyer_email: buyer.email,
    sample: mode === "sandbox",
    paid_at: paidAt,
    issued_at: issuedAt,
    tax_micros: taxMicros,
    books_month: booksMonth,
  };
  const number = await insertReceipt(tx, { ...receipt, seller: JSON.stringify(seller) });
  if (recovered === undefined) await insertReceiptToMark(tx, receipt.id);
  ctx.log.info({ receipt: number, kind: receiptToIssue.kind, payment_id: payment.id }, "receipt issued");
  return receipt.id;
}
