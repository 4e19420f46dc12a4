import { sql, type Selectable } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { RestoreTables } from "./restore.tables.ts";

const ACCESS_TIMEOUT = "1h";

export type Restore = Selectable<RestoreTables["restore"]>;

export function restoreInProgress(tx: Tx): Promise<Restore | undefined> {
  return tx.selectFrom("restore").selectAll().where("opened_at", "is", null).executeTakeFirst();
}

export async function insertRestore(tx: Tx, restore: Pick<Restore, "id" | "began_at" | "known_until">): Promise<void> {
  await tx.insertInto("restore").values(restore).execute();
}

export async function endRestore(tx: Tx, restoreId: string, now: Date): Promise<void> {
  await tx.updateTable("restore").set({ opened_at: now }).where("id", "=", restoreId).execute();
}

export async function storeReceiptsAbove(tx: Tx, restoreId: string, number: number): Promise<void> {
  await tx.updateTable("restore").set({ receipts_above: number }).where("id", "=", restoreId).execute();
}

/** Ending all access deletes a row for each session, link and ticket: millions, perhaps. Applies until the transaction ends. */
export async function allowLongStatements(tx: Transaction): Promise<void> {
  await sql`select set_config('statement_timeout', ${ACCESS_TIMEOUT}, true)`.execute(tx);
}

/** The time of the database's newest payment, posting, call, account or mail; null if it has none. */
export async function newestRecord(tx: Tx): Promise<Date | null> {
  // Ids are UUIDv7, so the highest is the newest.
  const { rows } = await sql<{ newest: Date | null }>`
    select greatest(
      (select created_at from payment order by id desc limit 1),
      (select created_at from ledger_transaction order by id desc limit 1),
      (select created_at from call order by id desc limit 1),
      (select created_at from customer order by id desc limit 1),
      (select created_at from mail order by id desc limit 1)) as newest`.execute(tx);
  return rows[0]?.newest ?? null;
}
