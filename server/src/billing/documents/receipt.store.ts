import { sql, type Insertable, type Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type ReceiptRow = Selectable<BillingTables["receipt"]> & { corrects_number: string | null };

/**
 * Allocates the year's next number. The counter stays locked until the transaction ends, so a rollback frees the number and the
 * sequence has no gaps.
 */
export async function allocateNumber(tx: Tx, year: number): Promise<number> {
  const { last_number: number } = await tx
    .insertInto("receipt_counter")
    .values({ year, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column("year").doUpdateSet((eb) => ({ last_number: eb("receipt_counter.last_number", "+", 1) })),
    )
    .returning("last_number")
    .executeTakeFirstOrThrow();
  return number;
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

/** One of the customer's receipts. */
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
    .select("corrected.number as corrects_number")
    .where("receipt.customer_id", "=", customerId);
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
    .$narrowType<{ receipt_id: string }>()
    .execute();
  return new Map(rows.map((row) => [row.id, row.receipt_id]));
}
