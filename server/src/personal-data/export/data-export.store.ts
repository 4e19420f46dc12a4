import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Database, Transaction, Tx } from "../../platform/database/database.ts";
import type { PersonalDataTables } from "../personal-data.tables.ts";
import { ownRows } from "../erasure/erasure.store.ts";
import { PERSONAL_TABLES } from "../personal-tables.ts";

export type DataExportRow = Selectable<PersonalDataTables["data_export"]>;

const ROWS_AT_ONCE = 500;

/** A table's rows of one customer as JSON texts, read in pieces. */
interface PersonalRows {
  readonly table: string;
  pieces(): AsyncGenerator<readonly string[], void, void>;
}

export function findExport(tx: Tx, customerId: string): Promise<DataExportRow | undefined> {
  return tx.selectFrom("data_export").selectAll().where("customer_id", "=", customerId).executeTakeFirst();
}

/** Serialises a customer's requests until the transaction ends. */
export async function lockExportsOf(tx: Transaction, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`data-export:${customerId}`}, 0))`.execute(tx);
}

/** Replaces the customer's earlier export, and deletes its file. */
export async function replaceExport(tx: Tx, wanted: { id: string; customerId: string; at: Date }): Promise<void> {
  await deleteExport(tx, wanted.customerId);
  await tx
    .insertInto("data_export")
    .values({ id: wanted.id, customer_id: wanted.customerId, requested_at: wanted.at, next_try_at: wanted.at })
    .execute();
}

/** Deletes the customer's export with its file. */
export async function deleteExport(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("data_export").where("customer_id", "=", customerId).execute();
}

/** Claims the oldest due export. It is rescheduled, so that it is retried if this process dies. */
export async function claimDueExport(
  db: Database,
  { now, nextTryAt }: { now: Date; nextTryAt: Date },
): Promise<DataExportRow | undefined> {
  return db
    .updateTable("data_export")
    .set((eb) => ({ tries: eb("tries", "+", 1), next_try_at: nextTryAt }))
    .where("id", "=", (eb) =>
      eb
        .selectFrom("data_export")
        .select("id")
        .where("state", "=", "preparing")
        .where("next_try_at", "<=", now)
        .orderBy("next_try_at")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

export async function insertPart(
  db: Database,
  part: { exportId: string; tried: number; position: number; content: Buffer },
): Promise<void> {
  await db
    .insertInto("data_export_part")
    .values({ export_id: part.exportId, try: part.tried, position: part.position, content: part.content })
    .execute();
}

/** @returns false if a later attempt took over, or the request was deleted */
export async function markReady(
  tx: Tx,
  made: { id: string; tried: number; bytes: number; at: Date; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("data_export")
    .set({
      state: "ready",
      next_try_at: null,
      bytes: BigInt(made.bytes),
      ready_at: made.at,
      expires_at: made.expiresAt,
    })
    .where("id", "=", made.id)
    .where("state", "=", "preparing")
    .where("tries", "=", made.tried)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markFailed(tx: Tx, id: string, failure: "too_large" | "broken"): Promise<void> {
  await tx
    .updateTable("data_export")
    .set({ state: "failed", failure, next_try_at: null })
    .where("id", "=", id)
    .where("state", "=", "preparing")
    .execute();
  await deleteParts(tx, id);
}

/** Deletes the parts of an export, except those of one attempt. */
export async function deleteParts(tx: Tx, exportId: string, butOfTry = 0): Promise<void> {
  await tx.deleteFrom("data_export_part").where("export_id", "=", exportId).where("try", "<>", butOfTry).execute();
}

/** Ends a ready export and deletes its file. @returns false if it was no longer ready */
export async function endExport(tx: Tx, exportId: string, state: "downloaded" | "expired"): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("data_export")
    .set({ state, expires_at: null })
    .where("id", "=", exportId)
    .where("state", "=", "ready")
    .executeTakeFirst();
  await deleteParts(tx, exportId);
  return numUpdatedRows === 1n;
}

/** Ready exports that have expired. */
export async function listExpired(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("data_export")
    .select("id")
    .where("state", "=", "ready")
    .where("expires_at", "<=", now)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** One part of a file, or undefined after the last. */
export async function readPart(
  db: Database,
  wanted: { exportId: string; tried: number; position: number },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("data_export_part")
    .select("content")
    .where("export_id", "=", wanted.exportId)
    .where("try", "=", wanted.tried)
    .where("position", "=", wanted.position)
    .executeTakeFirst();
  return row?.content;
}

/**
 * Yields the customer's rows of every exported table, in one consistent snapshot. Read each table before the next, without
 * long pauses, because the transaction stays open.
 */
export async function* readPersonalRows(db: Database, customerId: string): AsyncGenerator<PersonalRows, void, void> {
  const tx = await db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute();
  try {
    for (const [table, personal] of Object.entries(PERSONAL_TABLES)) {
      const columns = personal.exported.map((column) => {
        const shown = personal.shown?.[column];
        return shown === undefined ? sql.ref(column) : sql`${sql.raw(shown)} as ${sql.ref(column)}`;
      });
      if (columns.length === 0) continue;
      const own = sql`select ${sql.join(columns)} from ${sql.table(table)} where ${ownRows(personal, customerId)}`;
      yield { table, pieces: () => pieces(tx, sql`select to_json(r)::text as line from (${own}) r`) };
    }
  } finally {
    // Read-only, so there is nothing to commit.
    await tx
      .rollback()
      .execute()
      .catch(() => undefined);
  }
}

async function* pieces(tx: Tx, query: RawBuilder<unknown>): AsyncGenerator<readonly string[], void, void> {
  await sql`declare export_rows no scroll cursor for ${query}`.execute(tx);
  try {
    for (;;) {
      const { rows } = await sql<{ line: string }>`fetch forward ${sql.lit(ROWS_AT_ONCE)} from export_rows`.execute(tx);
      if (rows.length > 0) yield rows.map(({ line }) => line);
      if (rows.length < ROWS_AT_ONCE) return;
    }
  } finally {
    await sql`close export_rows`.execute(tx).catch(() => undefined);
  }
}
