import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** The answered calls that one prefix of a deck was charged for. */
export interface PrefixTraffic {
  readonly prefix: string;
  readonly calls: number;
  /** Talk time in whole seconds, each call rounded up. */
  readonly seconds: number;
}

/**
 * Answered calls begun since a time, by the prefix they were charged by.
 * @param trunk only those that this trunk carried; null for all
 */
export async function readTraffic(db: Tx, since: Date, trunk: string | null): Promise<PrefixTraffic[]> {
  const rows = await db
    .selectFrom("call")
    .select(({ fn }) => [
      "rate_prefix as prefix",
      fn.countAll<bigint>().as("calls"),
      sql<bigint>`sum(ceil(duration_ms / 1000.0))::bigint`.as("seconds"),
    ])
    .where("created_at", ">=", since)
    .where("answered_at", "is not", null)
    .$if(trunk !== null, (query) => query.where("trunk", "=", trunk))
    .groupBy("rate_prefix")
    .execute();
  return rows.map(({ prefix, calls, seconds }) => ({ prefix, calls: Number(calls), seconds: Number(seconds) }));
}
