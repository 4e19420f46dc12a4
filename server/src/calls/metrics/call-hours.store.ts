import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction, Tx } from "../../platform/database/database.ts";
import { CALL_COST, callsSince } from "../../risk/risk.ts";
import { splitSpan, type Span, type SpanParts } from "../../platform/split-span.ts";

const MAX_CHANGES_AT_ONCE = 1_000;
/** Enough for a median in tenths of a second, and few values. */
const DELAY_STEP_MS = 250;

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

/** The attempts of the calls that were made in a span. */
function attemptsOf({ from, to }: Span): RawBuilder<unknown> {
  return sql`
    call c cross join lateral jsonb_to_recordset(c.trunk_attempts) as a(trunk text, outcome text, sip_status int, post_dial_delay_ms int)
    where c.created_at >= ${from} and c.created_at < ${to} and c.trunk_attempts is not null`;
}

/** Rows of `trunk_hour`. */
function sumAttempts(span: Span): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', created_at, 'UTC') as hour, trunk, count(*)::int as seizures, count(*) filter (where outcome = 'answered')::int as answered,
      count(*) filter (where outcome in ('answered', 'cancelled', 'unanswered') or sip_status in (486, 600, 603))::int as effective,
      coalesce(sum(mos * duration_ms), 0)::float as mos_ms, coalesce(sum(duration_ms) filter (where mos is not null), 0)::bigint as scored_ms
    from (
      select c.created_at, a.trunk, a.outcome, a.sip_status, c.duration_ms,
        case when a.outcome = 'answered' then (select avg(mos) from call_quality where call_id = c.id) end as mos
      from ${attemptsOf(span)}
    ) attempt
    group by 1, 2`;
}

/** Rows of `trunk_delay_hour`. */
function sumDelays(span: Span): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', c.created_at, 'UTC') as hour, a.trunk,
      (round(a.post_dial_delay_ms / ${sql.lit(DELAY_STEP_MS)}.0) * ${sql.lit(DELAY_STEP_MS)})::int as delay_ms, count(*)::int as attempts
    from ${attemptsOf(span)} and a.post_dial_delay_ms is not null
    group by 1, 2, 3`;
}

const SUMS = { call_hour: sumCalls, trunk_hour: sumAttempts, trunk_delay_hour: sumDelays } as const;

/** The rows of a table of sums for a span. Parts of hours, and hours that are not summed or have changed, are summed from the calls. */
export function sumsOf(table: keyof typeof SUMS, { summed, rest }: SpanParts): RawBuilder<unknown> {
  const stored = sql`
    select * from ${sql.table(table)} where hour >= ${summed.from} and hour < ${summed.to} and hour <> all(${[...summed.changed]}::timestamptz[])`;
  return sql`(${sql.join([stored, ...rest.map((span) => sql`(${SUMS[table](span)})`)], sql` union all `)})`;
}

/** How to read a span. */
export async function findSpanParts(db: Database, span: Span): Promise<SpanParts> {
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
