import type { Insertable, Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type ClosedMonth = Selectable<BillingTables["closed_month"]>;

/** @param month "2026-11" */
export function readClosing(tx: Tx, month: string): Promise<ClosedMonth | undefined> {
  return tx.selectFrom("closed_month").selectAll().where("month", "=", month).executeTakeFirst();
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
