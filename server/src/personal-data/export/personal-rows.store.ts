import type pg from "pg";
import { PERSONAL_TABLES } from "../personal-tables.ts";

const ROWS_AT_ONCE = 500;

/** A table's rows of one customer as JSON texts, read in pieces. */
export interface PersonalRows {
  readonly table: string;
  pieces(): AsyncGenerator<readonly string[], void, void>;
}

/**
 * Yields the customer's rows of every exported table, all as of one moment. Each must be read before the next one and without
 * long pauses: the transaction stays open.
 */
export async function* readPersonalRows(pool: pg.Pool, customerId: string): AsyncGenerator<PersonalRows, void, void> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    for (const [table, { exported, rows }] of Object.entries(PERSONAL_TABLES))
      if (exported.length > 0) yield { table, pieces: () => pieces(client, { table, columns: exported, rows }, customerId) };
  } finally {
    // It changed nothing.
    await client.query("rollback").catch(() => undefined);
    client.release();
  }
}

async function* pieces(
  client: pg.PoolClient,
  { table, columns, rows }: { readonly table: string; readonly columns: readonly string[]; readonly rows: string },
  customerId: string,
): AsyncGenerator<readonly string[], void, void> {
  const selected = columns.map((column) => `"${column}"`).join(", ");
  const query = `select to_json(r)::text as line from (select ${selected} from "${table}" where ${rows}) r`;
  await client.query(`declare export_rows no scroll cursor for ${query}`, [customerId]);
  try {
    for (;;) {
      const found = await client.query<{ line: string }>(`fetch forward ${ROWS_AT_ONCE} from export_rows`);
      if (found.rows.length > 0) yield found.rows.map(({ line }) => line);
      if (found.rows.length < ROWS_AT_ONCE) return;
    }
  } finally {
    await client.query("close export_rows").catch(() => undefined);
  }
}
