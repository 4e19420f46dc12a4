import type { Insertable, Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type ClosedMonth = Selectable<BillingTables["closed_month"]>;

/** What a line and a difference were before the report had currencies: all in dollars. */
const LINE_IN_DOLLARS = { currency: "USD", paid: null, rate: null, known: true };
const DIFFERENCE_IN_DOLLARS = { currency: "USD" };
const BEFORE_LATE_RECEIPTS = { late_receipts: [] };

/** @param month "2026-11" */
export async function readClosing(tx: Tx, month: string): Promise<ClosedMonth | undefined> {
  const closed = await tx.selectFrom("closed_month").selectAll().where("month", "=", month).executeTakeFirst();
  if (closed === undefined) return undefined;
  const { lines, differences, ...provider } = closed.provider;
  return {
    ...closed,
    books: { ...BEFORE_LATE_RECEIPTS, ...closed.books },
    provider: {
      ...provider,
      lines: lines.map((line) => ({ ...LINE_IN_DOLLARS, ...line })),
      differences: differences.map((one) => ({ ...DIFFERENCE_IN_DOLLARS, ...one })),
    },
  };
}

/** False if the month is closed already. */
export async function insertClosing(tx: Tx, closing: Insertable<BillingTables["closed_month"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto("closed_month")
    .values(closing)
    .onConflict((conflict) => conflict.column("month").doNothing())
    .executeTakeFirstOrThrow();
  return inserted === 1n;
}
