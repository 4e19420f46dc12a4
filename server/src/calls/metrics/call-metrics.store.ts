import type { EndReason } from "@farline/contract/calls.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { dateOnClock, momentOnClock } from "@farline/domain/wall-clock.ts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction, Tx } from "../../platform/database/database.ts";
import type { Reader } from "../../platform/database/read-database.ts";
import { type Span, type SpanParts, splitSpan } from "../../platform/split-span.ts";
import { CALL_COST, callsSince } from "../../risk/risk.ts";

const KEYS = { country: sql`country_code`, trunk: sql`trunk` } satisfies Record<string, RawBuilder<unknown>>;

/** Calls that are not over, by whether they have been answered. */
interface OpenCalls {
  readonly ringing: number;
  readonly answered: number;
  /** Time since the first of them should have ended: answered ones by their limit, others 10 minutes after they were made. */
  readonly overdueSeconds: number;
}

const MAX_CHANGES_AT_ONCE = 1_000;

/** Enough for a median in tenths of a second, and few values. */
const DELAY_STEP_MS = 250;

const SUMS = { call_hour: sumCalls, trunk_hour: sumAttempts, trunk_delay_hour: sumDelays } as const;

/** Open calls are few and indexed by their next check. */
export async function readOpenCalls(db: Database, now: Date): Promise<OpenCalls> {
  const { rows } = await sql<{ ringing: number; answered: number; overdue: number }>`
    select count(*) filter (where answered_at is null)::int as ringing, count(*) filter (where answered_at is not null)::int as answered,
      greatest(0, extract(epoch from ${now} - min(coalesce(ends_at, created_at + interval '10 minutes'))))::int as overdue
    from call where ended_at is null`.execute(db);
  const [row] = rows;
  return { ringing: row?.ringing ?? 0, answered: row?.answered ?? 0, overdueSeconds: row?.overdue ?? 0 };
}

/** Ends that say nothing about the exchange and the carriers: the caller's own doing, or the caller's browser or network. */
const SAY_NOTHING: readonly EndReason[] = ["cancelled", "refused", "signed_out", "sound_blocked", "connection_lost"];
const FAILURES: readonly EndReason[] = ["network_failure", "never_connected"];

/** The latest calls that have ended, oldest first; `reason` is null if exchange and carrier did their part. */
export async function readLatestEnds(
  db: Database,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<{ readonly at: Date; readonly reason: EndReason | null }[]> {
  const { rows } = await sql<{ at: Date; reason: EndReason | null }>`
    select ended_at as at, case when end_reason = any(${FAILURES}) then end_reason end as reason
    from call where created_at > ${since} and ended_at is not null and end_reason <> all(${SAY_NOTHING})
    order by ended_at desc limit ${limit}`.execute(db);
  return rows.toReversed();
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
  /** Times until the far phone rang or answered: the mean, the median and the 95th percentile; null without such calls. */
  readonly meanDelaySeconds: number | null;
  readonly medianDelaySeconds: number | null;
  readonly postDialDelaySeconds: number | null;
  /** Mean of the calls' mean opinion scores, weighted by their duration; null without any. */
  readonly mos: number | null;
}

/**
 * Metrics by trunk of the calls that were made in a span. The network effectiveness ratio is `effective / seizures`, the
 * answer-seizure ratio `answered / seizures` (ITU-T E.425). Delays are rounded to a quarter of a second.
 */
export async function readTrunkMetrics(db: Reader, span: Span): Promise<TrunkMetrics[]> {
  const parts = await findSpanParts(db, span);
  const trunks = await readAttemptsBy(db, "trunk", span);
  const { rows: delays } = await sql<{ trunk: string; delayMs: number; attempts: number }>`
    select trunk, delay_ms as "delayMs", sum(attempts)::int as attempts
    from ${sumsOf("trunk_delay_hour", parts)} hours group by 1, 2 order by 1, 2`.execute(db);
  return trunks.map(({ key, ...one }) => {
    const own = delays.filter(({ trunk }) => trunk === key);
    return { ...one, trunk: key, medianDelaySeconds: secondsAt(0.5, own), postDialDelaySeconds: secondsAt(0.95, own) };
  });
}

/** What the trunks did with the attempts of a group of calls. */
interface AttemptSums extends Omit<TrunkMetrics, "trunk" | "medianDelaySeconds" | "postDialDelaySeconds"> {
  readonly key: string;
}

/** Attempts of the calls that were made in a span, grouped by one of their properties. */
export async function readAttemptsBy(db: Reader, by: keyof typeof KEYS, span: Span): Promise<AttemptSums[]> {
  const { rows } = await sql<AttemptSums>`
    select ${KEYS[by]} as key, sum(seizures)::int as seizures, sum(answered)::int as answered, sum(effective)::int as effective,
      sum(mos_ms) / nullif(sum(scored_ms), 0)::float as mos,
      (sum(delay_ms) / nullif(sum(delayed), 0) / 1000)::float as "meanDelaySeconds"
    from ${sumsOf("trunk_hour", await findSpanParts(db, span))} hours group by 1 order by 1`.execute(db);
  return rows;
}

/** Attempts in some whole hours, as far as they are summed, by trunk. */
export async function readSummedAttempts(
  db: Reader,
  hours: readonly Date[],
): Promise<Pick<TrunkMetrics, "trunk" | "seizures" | "answered">[]> {
  const { rows } = await sql<Pick<TrunkMetrics, "trunk" | "seizures" | "answered">>`
    select trunk, sum(seizures)::int as seizures, sum(answered)::int as answered
    from trunk_hour where hour = any(${[...hours]}::timestamptz[]) group by 1`.execute(db);
  return rows;
}

/** How many calls each trunk carries now. Open calls are few and indexed by their next check. */
export async function countLiveByTrunk(db: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ trunk: string; calls: number }>`
    select trunk, count(*)::int as calls from call where ended_at is null and trunk is not null group by 1`.execute(db);
  return new Map(rows.map(({ trunk, calls }) => [trunk, calls]));
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

/** How turnover is grouped: by day on a zone's clock, or by hour, whose key is its beginning in ISO 8601. */
type TurnoverKey = keyof typeof KEYS | "hour" | { readonly dayIn: string };

function keyOf(by: TurnoverKey, { from, to }: Span): RawBuilder<unknown> {
  if (typeof by === "string" && by !== "hour") return KEYS[by];
  if (by === "hour") return sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`;
  const days = daysOf(by.dayIn, { from, to });
  const starts = days.map((date) => momentOnClock({ date, time: "00:00", timeZone: by.dayIn }));
  // Where a zone is not whole hours from UTC, the span begins within an hour.
  return sql`(${days}::text[])[width_bucket(greatest(hour, ${from}::timestamptz), ${starts}::timestamptz[])]`;
}

/** The dates that a span touches on a zone's clock. The database may not know the zone. */
function daysOf(timeZone: string, { from, to }: Span): string[] {
  const days = [dateOnClock(from, timeZone)];
  const last = dateOnClock(new Date(to.getTime() - 1), timeZone);
  for (let day = days[0] ?? last; day < last; days.push(day)) day = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  return days;
}

/** A call counts when it ended. */
export async function readTurnoverBy(db: Reader, by: TurnoverKey, span: Span): Promise<Turnover[]> {
  const { rows } = await sql<Turnover>`
    select ${keyOf(by, span)} as key, sum(calls)::int as calls, sum(answered)::int as answered, (sum(talk_ms) / 1000)::int as seconds,
      sum(charge_micros)::bigint as "chargeMicros", sum(cost_micros)::bigint as "costMicros",
      sum(estimated_micros)::bigint as "estimatedMicros"
    from ${sumsOf("call_hour", await findSpanParts(db, span))} hours group by 1 order by 1`.execute(db);
  return rows;
}

/** Rows of `call_hour`, from the calls that ended in a span. */
function sumCalls({ from, to }: Span): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', c.ended_at, 'UTC') as hour, c.country_code, coalesce(c.trunk, '') as trunk, count(*)::int as calls,
      count(c.answered_at)::int as answered, coalesce(sum(c.duration_ms), 0)::bigint as talk_ms, sum(c.charge_micros)::bigint as charge_micros,
      sum(${CALL_COST})::bigint as cost_micros,
      coalesce(sum(${CALL_COST}) filter (where c.carrier_cost_micros is null), 0)::bigint as estimated_micros
    from ${callsSince(from, to)} and c.created_at < ${to} and c.ended_at >= ${from} and c.ended_at < ${to} and c.transferred_at is not null
    group by 1, 2, 3`;
}

/** The attempts of the calls that were made in a span. Calls that are over and open calls have an index each. */
function attemptsOf({ from, to }: Span): RawBuilder<unknown> {
  const made = sql`
    select id, created_at, country_code, duration_ms, trunk_attempts from call
    where created_at >= ${from} and created_at < ${to} and trunk_attempts is not null`;
  return sql`
    (${made} and ended_at is not null union all ${made} and ended_at is null) c
    cross join lateral jsonb_to_recordset(c.trunk_attempts) as a(trunk text, outcome text, sip_status int, post_dial_delay_ms int)`;
}

/** Rows of `trunk_hour`. */
function sumAttempts(span: Span): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', created_at, 'UTC') as hour, trunk, country_code, count(*)::int as seizures, count(*) filter (where outcome = 'answered')::int as answered,
      count(*) filter (where outcome in ('answered', 'cancelled', 'unanswered') or sip_status in (486, 600, 603))::int as effective,
      coalesce(sum(mos * duration_ms), 0)::float as mos_ms, coalesce(sum(duration_ms) filter (where mos is not null), 0)::bigint as scored_ms,
      coalesce(sum(delay_ms), 0)::bigint as delay_ms, count(delay_ms)::int as delayed
    from (
      select c.created_at, c.country_code, a.trunk, a.outcome, a.sip_status, a.post_dial_delay_ms as delay_ms, c.duration_ms,
        case when a.outcome = 'answered' then (select avg(mos) from call_quality where call_id = c.id) end as mos
      from ${attemptsOf(span)}
    ) attempt
    group by 1, 2, 3`;
}

/** Rows of `trunk_delay_hour`. */
function sumDelays(span: Span): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', c.created_at, 'UTC') as hour, a.trunk,
      (round(a.post_dial_delay_ms / ${sql.lit(DELAY_STEP_MS)}.0) * ${sql.lit(DELAY_STEP_MS)})::int as delay_ms, count(*)::int as attempts
    from ${attemptsOf(span)} where a.post_dial_delay_ms is not null
    group by 1, 2, 3`;
}

/** The rows of a table of sums for a span. Parts of hours, and hours that are not summed or have changed, are summed from the calls. */
export function sumsOf(table: keyof typeof SUMS, { summed, rest }: SpanParts): RawBuilder<unknown> {
  const stored = sql`
    select * from ${sql.table(table)} where hour >= ${summed.from} and hour < ${summed.to} and hour <> all(${[...summed.changed]}::timestamptz[])`;
  return sql`(${sql.join([stored, ...rest.map((span) => sql`(${SUMS[table](span)})`)], sql` union all `)})`;
}

/** How to read a span. */
async function findSpanParts(db: Reader, span: Span): Promise<SpanParts> {
  const { rows } = await sql<Span & { changed: Date[] }>`
    select since as "from", until as "to", array(
      select distinct hour from call_hour_change where hour >= ${span.from}::timestamptz - interval '1 hour' and hour < ${span.to}) as changed
    from call_hours_summed`.execute(db);
  return splitSpan(span, rows[0] ?? { from: span.from, to: span.from, changed: [] });
}

/** Locks and returns the end of what is summed. Null while another process sums. */
export async function lockSummed(tx: Transaction): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`select until from call_hours_summed for update skip locked`.execute(tx);
  return rows[0]?.until ?? null;
}

/** Sums the calls of some whole hours again. */
export async function sumHours(tx: Tx, span: Span): Promise<void> {
  for (const table of Object.keys(SUMS) as (keyof typeof SUMS)[]) {
    await sql`delete from ${sql.table(table)} where hour >= ${span.from} and hour < ${span.to}`.execute(tx);
    await sql`insert into ${sql.table(table)} ${SUMS[table](span)}`.execute(tx);
  }
}

export async function setSummedUntil(tx: Tx, until: Date): Promise<void> {
  await sql`update call_hours_summed set until = ${until}`.execute(tx);
}

/** Removes marks of changed hours. @returns the hours, and whether there may be more */
export async function takeChangedHours(tx: Transaction): Promise<{ hours: Date[]; more: boolean }> {
  const { rows } = await sql<{ hour: Date }>`
    delete from call_hour_change where id in (
      select id from call_hour_change order by id limit ${MAX_CHANGES_AT_ONCE} for update skip locked) returning hour`.execute(
    tx,
  );
  const hours = [...new Set(rows.map(({ hour }) => hour.getTime()))].map((hour) => new Date(hour));
  return { hours, more: rows.length === MAX_CHANGES_AT_ONCE };
}
