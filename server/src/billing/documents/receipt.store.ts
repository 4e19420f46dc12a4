import { sql, type Insertable, type Selectable } from "kysely";
import type { Tx, Transaction } from "../../platform/database/database.ts";
import type { Seller } from "../../platform/settings/seller.ts";
import type { BillingTables } from "../record/billing.tables.ts";
import { taxOf, type Returned } from "./tax-within.ts";
import { monthOf, monthsAfter } from "./statement-month.ts";

/** Closing a month waits for receipts that are being issued, and they for it, so that each receipt is in exactly one month. */
const LOCK = sql`hashtextextended('month-books', 0)`;

/** `for_other`: of a payment that bought credit for somebody else. */
export type ReceiptRow = Selectable<BillingTables["receipt"]> & { corrects_number: string | null; for_other: boolean };

/** A refund's receipt is the same for any payment. */
const isForOther = sql<boolean>`receipt.refund_id is null
  and exists (select from credit_gift gift where gift.payment_id = receipt.payment_id)`.as("for_other");

/** A series has numbers of nine digits that begin with its own; series 0 has the others. */
const SERIES_SIZE = 100_000_000;

/** The series of a number, and its place in it. */
export function placeInSeries(sequence: number): { readonly series: number; readonly place: number } {
  return { series: Math.floor(sequence / SERIES_SIZE), place: sequence % SERIES_SIZE };
}

/**
 * Allocates the next number of a series in a year. Its counter stays locked until the transaction ends, so a rollback frees the number and the
 * series has no gaps.
 */
export async function allocateNumber(tx: Tx, { year, series }: { year: number; series: number }): Promise<number> {
  const { last_number: place } = await tx
    .insertInto("receipt_counter")
    .values({ year, series, last_number: 1 })
    .onConflict((conflict) =>
      conflict.columns(["year", "series"]).doUpdateSet((eb) => ({ last_number: eb("receipt_counter.last_number", "+", 1) })),
    )
    .returning("last_number")
    .executeTakeFirstOrThrow();
  return series * SERIES_SIZE + place;
}

/** Raises the year's counters of these series, so that no number up to this place is given again. */
export async function skipNumbers(
  tx: Tx,
  { year, series, upTo }: { year: number; series: readonly number[]; upTo: number },
): Promise<void> {
  await tx
    .insertInto("receipt_counter")
    .values(series.map((one) => ({ year, series: one, last_number: upTo })))
    .onConflict((conflict) =>
      conflict
        .columns(["year", "series"])
        .doUpdateSet((eb) => ({ last_number: eb.fn<number>("greatest", ["receipt_counter.last_number", eb.val(upTo)]) })),
    )
    .execute();
}

/** The year's series that this database knows, each with its highest place. */
export async function readLastPlaces(tx: Tx, year: number): Promise<Map<number, number>> {
  const rows = await tx.selectFrom("receipt_counter").select(["series", "last_number"]).where("year", "=", year).execute();
  return new Map(rows.map(({ series, last_number: place }) => [series, place]));
}

type RecoveredReceipt = Selectable<BillingTables["recovered_receipt"]>;

/** Keeps the number that a payment's or refund's receipt had before a restore, unless it has a receipt. */
export async function insertRecoveredReceipt(tx: Tx, receipt: RecoveredReceipt): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto("recovered_receipt")
    .values(receipt)
    .onConflict((conflict) => conflict.column("subject_id").doNothing())
    .executeTakeFirst();
  return (inserted ?? 0n) > 0n;
}

/** The number that the subject's receipt had before a restore, once. */
export function takeRecoveredReceipt(tx: Tx, subjectId: string): Promise<RecoveredReceipt | undefined> {
  return tx.deleteFrom("recovered_receipt").where("subject_id", "=", subjectId).returningAll().executeTakeFirst();
}

export async function insertReceiptToMark(tx: Tx, receiptId: string): Promise<void> {
  await tx.insertInto("receipt_to_mark").values({ receipt_id: receiptId }).execute();
}

/** @returns whether it was still to be marked */
export async function deleteReceiptToMark(tx: Tx, receiptId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("receipt_to_mark").where("receipt_id", "=", receiptId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export type ReceiptToMark = Awaited<ReturnType<typeof receiptsToMark>>[number];

/** Receipts whose number the provider does not keep yet, with the ids of their money there. */
export function receiptsToMark(tx: Tx, wanted: { limit: number; only: string | undefined }) {
  let query = tx
    .selectFrom("receipt_to_mark as due")
    .innerJoin("receipt", "receipt.id", "due.receipt_id")
    .innerJoin("payment", "payment.id", "receipt.payment_id")
    .leftJoin("refund", "refund.id", "receipt.refund_id")
    .selectAll("receipt")
    .select(["payment.payment_intent_id", "refund.provider_refund_id", "refund.origin", isForOther]);
  if (wanted.only !== undefined) query = query.where("receipt.id", "=", wanted.only);
  return query.orderBy("receipt.id").limit(wanted.limit).execute();
}

/** What the refunds of a payment returned by their receipts, and the tax that these state. Requires the payment's lock. */
export async function returnedOf(tx: Tx, paymentId: string): Promise<Returned> {
  const rows = await tx
    .selectFrom("receipt")
    .select(["kind", "amount_micros", "tax_micros", "seller"])
    .where("payment_id", "=", paymentId)
    .where("refund_id", "is not", null)
    .execute();
  let [amountMicros, taxMicros] = [0n, 0n];
  for (const row of rows) {
    const direction = row.kind === "refund_returned" ? -1n : 1n;
    amountMicros += direction * row.amount_micros;
    taxMicros += direction * (taxOf(row)?.amountMicros ?? 0n);
  }
  return { amountMicros, taxMicros };
}

/** The rate of the tax that a receipt states: what corrects it states the same. */
export async function taxRateOf(tx: Tx, receiptId: string): Promise<Pick<Seller, "taxMillipercent">> {
  const { seller } = await tx.selectFrom("receipt").select("seller").where("id", "=", receiptId).executeTakeFirstOrThrow();
  return { taxMillipercent: seller.taxMillipercent };
}

export async function insertReceipt(tx: Tx, receipt: Insertable<BillingTables["receipt"]>): Promise<string> {
  const { number } = await tx.insertInto("receipt").values(receipt).returning("number").executeTakeFirstOrThrow();
  return number;
}

export async function linkReceiptToPayment(tx: Tx, paymentId: string, receiptId: string): Promise<void> {
  await tx.updateTable("payment").set({ receipt_id: receiptId }).where("id", "=", paymentId).execute();
}

export async function linkReceiptToRefund(tx: Tx, refundId: string, receipt: { id: string; returned: boolean }): Promise<void> {
  await tx
    .updateTable("refund")
    .set(receipt.returned ? { return_receipt_id: receipt.id } : { receipt_id: receipt.id })
    .where("id", "=", refundId)
    .execute();
}

/** Paid payments without a receipt, oldest first. */
export async function paymentsWithoutReceipt(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("payment")
    .select("id")
    .where("status", "=", "paid")
    .where("receipt_id", "is", null)
    .orderBy("settled_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Completed or returned refunds without their receipt, the longest-waiting first. */
export async function refundsWithoutReceipt(tx: Tx, limit: number): Promise<{ id: string; payment_id: string }[]> {
  const { rows } = await sql<{ id: string; payment_id: string }>`
    select id, payment_id from refund
    where (status = 'succeeded' and receipt_id is null)
      or (status = 'failed' and receipt_id is not null and return_receipt_id is null)
    order by settled_at limit ${limit}`.execute(tx);
  return rows;
}

/** One of the customer's receipts. One that the provider does not keep yet is not shown. */
export function readReceipt(tx: Tx, customerId: string, receiptId: string): Promise<ReceiptRow | undefined> {
  return receipts(tx, customerId).where("receipt.id", "=", receiptId).executeTakeFirst();
}

/** The customer's receipts, newest first. @param page.before the last id of the previous page */
export function listReceipts(tx: Tx, customerId: string, page: { before?: string; limit: number }): Promise<ReceiptRow[]> {
  let query = receipts(tx, customerId);
  if (page.before !== undefined) query = query.where("receipt.id", "<", page.before);
  return query.orderBy("receipt.id", "desc").limit(page.limit).execute();
}

function receipts(tx: Tx, customerId: string) {
  return tx
    .selectFrom("receipt")
    .leftJoin("receipt as corrected", "corrected.id", "receipt.corrects_id")
    .selectAll("receipt")
    .select(["corrected.number as corrects_number", isForOther])
    .where("receipt.customer_id", "=", customerId)
    .where("receipt.id", "not in", (eb) => eb.selectFrom("receipt_to_mark").select("receipt_id"));
}

/** Receipts by payment. */
export async function receiptsOfPayments(
  tx: Tx,
  customerId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("payment")
    .select(["id", "receipt_id"])
    .where("customer_id", "=", customerId)
    .where("id", "in", [...paymentIds])
    .where("receipt_id", "is not", null)
    .where("receipt_id", "not in", (eb) => eb.selectFrom("receipt_to_mark").select("receipt_to_mark.receipt_id"))
    .$narrowType<{ receipt_id: string }>()
    .execute();
  return new Map(rows.map((row) => [row.id, row.receipt_id]));
}

/** Ends with the transaction. Nothing else is locked after it, but rows of receipts and closed months. */
export async function lockBooksToClose(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
}

/** The month whose books have a receipt, if the month of its payment is closed already; otherwise null. Months cannot be closed until the end of the transaction. */
export async function lateMonth(tx: Tx, paidAt: Date): Promise<string | null> {
  await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(tx);
  const own = monthOf(paidAt);
  const rows = await tx.selectFrom("closed_month").select("month").where("month", ">=", own).execute();
  const closed = new Set(rows.map(({ month }) => month));
  let month = own;
  while (closed.has(month)) month = monthsAfter(month, 1);
  return month === own ? null : month;
}
