import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { CALL_COST, callsSince } from "../../risk/risk.ts";

/** Calls that ended in a span, grouped by one of their properties. */
export interface Turnover {
  readonly key: string;
  /** Sent to a carrier. */
  readonly calls: number;
  readonly answered: number;
  readonly seconds: number;
  readonly chargeMicros: bigint;
  readonly costMicros: bigint;
  /** The part of the cost that comes from a price list, because the carrier has not said it yet. */
  readonly estimatedMicros: bigint;
}

const KEYS = {
  day: sql`to_char(c.ended_at at time zone 'UTC', 'YYYY-MM-DD')`,
  country: sql`c.country_code`,
  trunk: sql`coalesce(c.trunk, '')`,
} satisfies Record<string, RawBuilder<unknown>>;

/** @param span half open; a call counts when it ended */
export async function readTurnoverBy(
  db: Database,
  by: keyof typeof KEYS,
  { from, to }: { from: Date; to: Date },
): Promise<Turnover[]> {
  const { rows } = await sql<Turnover>`
    select ${KEYS[by]} as key, count(*)::int as calls, count(c.answered_at)::int as answered,
      (sum(c.duration_ms) / 1000)::int as seconds, sum(c.charge_micros)::bigint as "chargeMicros",
      sum(${CALL_COST})::bigint as "costMicros",
      coalesce(sum(${CALL_COST}) filter (where c.carrier_cost_micros is null), 0)::bigint as "estimatedMicros"
    from ${callsSince(from, to)} and c.created_at < ${to} and c.ended_at >= ${from} and c.ended_at < ${to} and c.transferred_at is not null
    group by 1 order by 1`.execute(db);
  return rows;
}
