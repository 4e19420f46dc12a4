import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Calls that are not over, by whether they have been answered. */
export interface OpenCalls {
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
export interface TrunkFigures {
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
 * Figures by trunk of the calls that were made in a span. The network effectiveness ratio is `effective / seizures`, the
 * answer-seizure ratio `answered / seizures` (ITU-T E.425).
 */
export async function readTrunkFigures(db: Database, { from, to }: { from: Date; to: Date }): Promise<TrunkFigures[]> {
  const { rows } = await sql<{
    trunk: string;
    seizures: number;
    answered: number;
    effective: number;
    median: number | null;
    delay: number | null;
    mos: number | null;
  }>`
    select a.trunk, count(*)::int as seizures, count(*) filter (where a.outcome = 'answered')::int as answered,
      count(*) filter (where a.outcome in ('answered', 'cancelled', 'unanswered') or a.sip_status in (486, 600, 603))::int as effective,
      percentile_cont(0.5) within group (order by a.post_dial_delay_ms) as median,
      percentile_cont(0.95) within group (order by a.post_dial_delay_ms) as delay,
      (sum(q.mos * c.duration_ms) / nullif(sum(c.duration_ms) filter (where q.mos is not null), 0))::float as mos
    from call c
    cross join lateral jsonb_to_recordset(c.trunk_attempts) as a(trunk text, outcome text, sip_status int, post_dial_delay_ms int)
    left join lateral (select avg(mos) as mos from call_quality where call_id = c.id) q on a.outcome = 'answered'
    where c.created_at > ${from} and c.created_at <= ${to} and c.trunk_attempts is not null
    group by a.trunk order by a.trunk`.execute(db);
  const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
  return rows.map(({ trunk, seizures, answered, effective, median, delay, mos }) => ({
    ...{ trunk, seizures, answered, effective, mos },
    ...{ medianDelaySeconds: toSeconds(median), postDialDelaySeconds: toSeconds(delay) },
  }));
}

/** Charges of the calls that ended since a time, and what the carriers asked for them, in micro-dollars. */
export async function readTurnover(db: Database, since: Date): Promise<{ chargeMicros: bigint; costMicros: bigint }> {
  const { rows } = await sql<{ charge: bigint; cost: bigint }>`
    select coalesce(sum(charge_micros), 0)::bigint as charge, coalesce(sum(carrier_cost_micros), 0)::bigint as cost
    from call where created_at > ${since}::timestamptz - interval '6 hours' and ended_at > ${since}`.execute(db);
  return { chargeMicros: rows[0]?.charge ?? 0n, costMicros: rows[0]?.cost ?? 0n };
}
