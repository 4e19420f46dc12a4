import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { monthOf, monthsAfter } from "./statement-month.ts";

/** Closing a month waits for receipts that are being issued, and they for it, so that each receipt is in exactly one month. */
const LOCK = sql`hashtextextended('month-books', 0)`;

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
