import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Leading digits to group by: nearly always enough to determine the price, and few enough to keep the groups few. */
const PREFIX_DIGITS = 8;

/** The answered calls to numbers with a common prefix. */
export interface PrefixTraffic {
  /** The first digits of the called numbers, without the plus. */
  readonly prefix: string;
  readonly calls: number;
  /** Talk time in whole seconds, each call rounded up. */
  readonly seconds: number;
}

/**
 * Answered calls since a time, grouped by the first digits of the called numbers, because another deck may divide them differently
 * from the deck that they were charged by.
 * @param trunk only calls that this trunk carried; null for all
 */
export async function readTraffic(db: Tx, since: Date, trunk: string | null): Promise<PrefixTraffic[]> {
  const rows = await db
    .selectFrom("call")
    .select(({ fn }) => [
      sql<string>`substr(destination, 2, ${sql.lit(PREFIX_DIGITS)})`.as("prefix"),
      fn.countAll<bigint>().as("calls"),
      sql<bigint>`sum(ceil(duration_ms / 1000.0))::bigint`.as("seconds"),
    ])
    .where("created_at", ">=", since)
    .where("answered_at", "is not", null)
    .$if(trunk !== null, (query) => query.where("trunk", "=", trunk))
    .groupBy("prefix")
    .execute();
  return rows.map(({ prefix, calls, seconds }) => ({ prefix, calls: Number(calls), seconds: Number(seconds) }));
}
