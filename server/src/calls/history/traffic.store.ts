import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Leading digits to group by: nearly always enough to determine the price, and few enough to keep the groups few. */
const PREFIX_DIGITS = 8;
/** Calls of similar length are grouped: by 6 seconds up to a minute, then by minutes, and all above 10 minutes together. */
const FINE_GROUPS = 10;
const MAX_MINUTES = 11;

/** The answered calls of similar length to numbers of one country with a common prefix. */
export interface PrefixTraffic {
  /** The first digits of the called numbers, without the plus. */
  readonly prefix: string;
  readonly countryCode: string;
  readonly calls: number;
  /** Talk time in whole seconds, each call rounded up. */
  readonly seconds: number;
  /** What carriers took for them, in micro-dollars; calls of unknown cost count with the mean of the others. Null if none is known. */
  readonly paidMicros: bigint | null;
}

/**
 * Answered calls since a time, grouped by the first digits of the called numbers, because another deck may divide them differently
 * from the deck that they were charged by, and by length, because increments charge short calls more.
 * @param trunk only calls that this trunk carried; null for all
 */
export async function readTraffic(db: Tx, since: Date, trunk: string | null): Promise<PrefixTraffic[]> {
  const seconds = sql<number>`ceil(duration_ms / 1000.0)`;
  const rows = await db
    .selectFrom("call")
    .select(({ fn }) => [
      sql<string>`substr(destination, 2, ${sql.lit(PREFIX_DIGITS)})`.as("prefix"),
      "country_code as countryCode",
      sql`case when ${seconds} <= 60 then ceil(${seconds} / 6) else ${sql.lit(FINE_GROUPS - 1)} + least(ceil(${seconds} / 60), ${sql.lit(MAX_MINUTES)}) end`.as(
        "length",
      ),
      fn.countAll<bigint>().as("calls"),
      sql<bigint>`sum(${seconds})::bigint`.as("seconds"),
      sql<bigint | null>`ceil(avg(carrier_cost_micros) * count(*))::bigint`.as("paidMicros"),
    ])
    .where("created_at", ">=", since)
    .where("answered_at", "is not", null)
    .$if(trunk !== null, (query) => query.where("trunk", "=", trunk))
    .groupBy(["prefix", "country_code", "length"])
    .execute();
  return rows.map(({ calls, seconds: sum, length: _length, ...group }) => ({
    ...group,
    calls: Number(calls),
    seconds: Number(sum),
  }));
}
