import { sql, type RawBuilder } from "kysely";
import type { Database, Tx } from "../../platform/database/database.ts";
import { ownRows } from "../erasure/erasure.store.ts";
import { PERSONAL_TABLES } from "../personal-tables.ts";

const ROWS_AT_ONCE = 500;

/** A table's rows of one customer as JSON texts, read in pieces. */
export interface PersonalRows {
  readonly table: string;
  pieces(): AsyncGenerator<readonly string[], void, void>;
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
