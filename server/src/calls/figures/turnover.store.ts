import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { findSpanParts, sumsOf } from "./call-hours.store.ts";
import type { Span } from "../../platform/split-span.ts";

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
  day: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`,
  country: sql`country_code`,
  trunk: sql`trunk`,
} satisfies Record<string, RawBuilder<unknown>>;

/** A call counts when it ended. */
export async function readTurnoverBy(db: Database, by: keyof typeof KEYS, span: Span): Promise<Turnover[]> {
  const { rows } = await sql<Turnover>`
    select ${KEYS[by]} as key, sum(calls)::int as calls, sum(answered)::int as answered, (sum(talk_ms) / 1000)::int as seconds,
      sum(charge_micros)::bigint as "chargeMicros", sum(cost_micros)::bigint as "costMicros",
      sum(estimated_micros)::bigint as "estimatedMicros"
    from ${sumsOf("call_hour", await findSpanParts(db, span))} hours group by 1 order by 1`.execute(db);
  return rows;
}
