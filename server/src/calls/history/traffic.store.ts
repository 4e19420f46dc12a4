import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** So many digits of a called number tell its price but in the rarest cases, and keep the groups few. */
const TELLING_DIGITS = 8;

/** The answered calls to the numbers that begin alike. */
export interface PrefixTraffic {
  /** The first digits of the called numbers, without the plus. */
  readonly prefix: string;
  readonly calls: number;
  /** Talk time in whole seconds, each call rounded up. */
  readonly seconds: number;
}

/**
 * Answered calls begun since a time, by the first digits of the called numbers: a deck may divide them in another way than the one
 * that they were charged by.
 * @param trunk only those that this trunk carried; null for all
 */
export async function readTraffic(db: Tx, since: Date, trunk: string | null): Promise<PrefixTraffic[]> {
  const rows = await db
    .selectFrom("call")
    .select(({ fn }) => [
      sql<string>`substr(destination, 2, ${sql.lit(TELLING_DIGITS)})`.as("prefix"),
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
