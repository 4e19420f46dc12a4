import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { findSpanParts, sumsOf } from "./call-hours.store.ts";
import type { Span } from "../../platform/split-span.ts";

const KEYS = {
  day: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`,
  country: sql`country_code`,
  trunk: sql`trunk`,
} satisfies Record<string, RawBuilder<unknown>>;

/** Calls that are not over, by whether they have been answered. */
interface OpenCalls {
  readonly ringing: number;
  readonly answered: number;
  /** Time since the first of them should have ended: answered ones by their limit, others 10 minutes after they were made. */
  readonly overdueSeconds: number;
}

/** Open calls are few and indexed by their next check. */
export async function readOpenCalls(db: Database, now: Date): Promise<OpenCalls> {
  const { rows } = await sql<{ ringing: number; answered: number; overdue: number }>`
    select count(*) filter (where answered_at is null)::int as ringing, count(*) filter (where answered_at is not null)::int as answered,
      greatest(0, extract(epoch from ${now} - min(coalesce(ends_at, created_at + interval '10 minutes'))))::int as overdue
    from call where next_check_at is not null`.execute(db);
  const [row] = rows;
  return { ringing: row?.ringing ?? 0, answered: row?.answered ?? 0, overdueSeconds: row?.overdue ?? 0 };
}

/** Whether there has ever been a call. */
export async function hasCalls(db: Database): Promise<boolean> {
  const { rows } = await sql`select from call limit 1`.execute(db);
  return rows.length > 0;
}

/** What one trunk did with the calls of a period. */
export interface TrunkMetrics {
  readonly trunk: string;
  /** Attempts that reached the carrier: each counts for its trunk, also when the call then took another one. */
  readonly seizures: number;
  readonly answered: number;
  /** Seizures that the network served: answered, busy, rejected by the callee, or ended by the caller. */
  readonly effective: number;
  /** Times until the far phone rang or answered: the median and the 95th percentile; null without such calls. */
  readonly medianDelaySeconds: number | null;
  readonly postDialDelaySeconds: number | null;
  /** Mean of the calls' mean opinion scores, weighted by their duration; null without any. */
  readonly mos: number | null;
}

/**
 * Metrics by trunk of the calls that were made in a span. The network effectiveness ratio is `effective / seizures`, the
 * answer-seizure ratio `answered / seizures` (ITU-T E.425). Delays are rounded to a quarter of a second.
 */
export async function readTrunkMetrics(db: Database, span: Span): Promise<TrunkMetrics[]> {
  const parts = await findSpanParts(db, span);
  const { rows: trunks } = await sql<Omit<TrunkMetrics, "medianDelaySeconds" | "postDialDelaySeconds">>`
    select trunk, sum(seizures)::int as seizures, sum(answered)::int as answered, sum(effective)::int as effective,
      sum(mos_ms) / nullif(sum(scored_ms), 0)::float as mos
    from ${sumsOf("trunk_hour", parts)} hours group by 1 order by 1`.execute(db);
  const { rows: delays } = await sql<{ trunk: string; delayMs: number; attempts: number }>`
    select trunk, delay_ms as "delayMs", sum(attempts)::int as attempts
    from ${sumsOf("trunk_delay_hour", parts)} hours group by 1, 2 order by 1, 2`.execute(db);
  return trunks.map((one) => {
    const own = delays.filter(({ trunk }) => trunk === one.trunk);
    return { ...one, medianDelaySeconds: secondsAt(0.5, own), postDialDelaySeconds: secondsAt(0.95, own) };
  });
}

/** The shortest delay that covers a share of the attempts; null without any. @param delays in order */
function secondsAt(share: number, delays: readonly { delayMs: number; attempts: number }[]): number | null {
  const total = delays.reduce((sum, { attempts }) => sum + attempts, 0);
  let covered = 0;
  for (const { delayMs, attempts } of delays) {
    covered += attempts;
    if (covered >= share * total) return delayMs / 1_000;
  }
  return null;
}

/** Charges of the calls that ended since a time, and what the carriers asked for them, in micro-dollars. */
export async function readTurnover(db: Database, since: Date): Promise<{ chargeMicros: bigint; costMicros: bigint }> {
  const { rows } = await sql<{ charge: bigint; cost: bigint }>`
    select coalesce(sum(charge_micros), 0)::bigint as charge, coalesce(sum(carrier_cost_micros), 0)::bigint as cost
    from call where created_at > ${since}::timestamptz - interval '6 hours' and ended_at > ${since}`.execute(db);
  return { chargeMicros: rows[0]?.charge ?? 0n, costMicros: rows[0]?.cost ?? 0n };
}

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

/** A call counts when it ended. */
export async function readTurnoverBy(db: Database, by: keyof typeof KEYS, span: Span): Promise<Turnover[]> {
  const { rows } = await sql<Turnover>`
    select ${KEYS[by]} as key, sum(calls)::int as calls, sum(answered)::int as answered, (sum(talk_ms) / 1000)::int as seconds,
      sum(charge_micros)::bigint as "chargeMicros", sum(cost_micros)::bigint as "costMicros",
      sum(estimated_micros)::bigint as "estimatedMicros"
    from ${sumsOf("call_hour", await findSpanParts(db, span))} hours group by 1 order by 1`.execute(db);
  return rows;
}
