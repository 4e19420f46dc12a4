import { sql, type RawBuilder } from "kysely";
import type { Tx } from "./database.ts";

/** Keeps each statement's locks and writes small. */
const BATCH = 1_000;
/** Per run; the next run continues. */
const MAX_BATCHES = 200;

/** Deletes expired rows in batches. @param deleteSome deletes at most this many rows and returns how many it deleted */
export async function deleteInBatches(signal: AbortSignal, deleteSome: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) if ((await deleteSome(BATCH)) < BATCH) return;
}

/** Deletes all rows of a table that meet a condition, in batches. After an outage there may be too many for one statement. */
export function deleteRows(
  db: Tx,
  signal: AbortSignal,
  { from, where }: { readonly from: string; readonly where: RawBuilder<unknown> },
): Promise<void> {
  const table = sql.table(from);
  return deleteInBatches(signal, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any (array(select ctid from ${table} where ${where} limit ${limit}))`.execute(db);
    return Number(numAffectedRows);
  });
}
