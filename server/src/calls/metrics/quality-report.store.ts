import {
  MAX_CALLS_PER_CUSTOMER,
  MIN_CALLS,
  REPORT_DAYS,
  type MeasuredQuality,
  type ReportDays,
} from "@farline/domain/calls/published-quality.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { DestinationQuality } from "@farline/contract/quality.ts";
import { sql } from "kysely";
import type { Database, Tx, Transaction } from "../../platform/database/database.ts";
import type { Reader } from "../../platform/database/read-database.ts";
import type { CalledPrefix } from "../../rates/rates.ts";

const DAYS = 90;
/** Of a country and type; the others are too few to matter. */
const MAX_PREFIXES = 50;

/** Longer than a request's timeout, because every call of the longest span is read. */
const REPORT_TIMEOUT = "5min";
/** Latest calls to a country that are measured: more would not change rounded figures. */
const MAX_CALLS_PER_COUNTRY = 2_000;
const LONGEST_DAYS = Math.max(...REPORT_DAYS);

export interface DestinationMeasured extends MeasuredQuality {
  readonly countryCode: string;
  /** The days before `until` in which the calls ended. */
  readonly days: ReportDays;
}

/**
 * Measures the calls to each country that were sent to a carrier, in each span of days that has enough of them. A call counts once,
 * however many trunks it took: its delay is the caller's, from the first attempt until the phone rang.
 * @param until start of a day; calls count when they ended before it
 */
export async function measureDestinations(db: Database, until: Date): Promise<DestinationMeasured[]> {
  const from = new Date(until.getTime() - LONGEST_DAYS * DAY_MS);
  // oxlint-disable-next-line farline/context-transactions -- a longer timeout, read only
  return db
    .transaction()
    .setAccessMode("read only")
    .execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${REPORT_TIMEOUT}, true)`.execute(tx);
      const { rows } = await sql<DestinationMeasured>`
        with of_customers as (
          select c.id, c.country_code, c.ended_at,
            row_number() over (partition by c.country_code, c.customer_id order by c.ended_at desc, c.id desc) as place
          from call c
          where c.created_at > ${from}::timestamptz - interval '6 hours' and c.created_at < ${until}
            and c.ended_at >= ${from} and c.ended_at < ${until} and c.transferred_at is not null
        ), of_countries as (
          select id, row_number() over (partition by country_code order by ended_at desc, id desc) as place
          from of_customers where place <= ${MAX_CALLS_PER_CUSTOMER}
        ), measured as (
          select c.country_code, c.ended_at, c.answered_at, d.ms, q.mos
          from of_countries counted join call c using (id)
          left join lateral (
            select max(1000 * extract(epoch from a.started_at) + a.post_dial_delay_ms) - min(1000 * extract(epoch from a.started_at)) as ms
            from jsonb_to_recordset(c.trunk_attempts) as a(started_at timestamptz, post_dial_delay_ms int)
          ) d on true
          left join lateral (select avg(mos) as mos from call_quality where call_id = c.id) q on c.answered_at is not null
          where counted.place <= ${MAX_CALLS_PER_COUNTRY}
        )
        select country_code as "countryCode", span.days, count(*)::int as calls, count(answered_at)::int as answered,
          count(ms)::int as delayed, percentile_cont(0.5) within group (order by ms::float) as "medianDelayMs",
          percentile_cont(0.95) within group (order by ms::float) as "p95DelayMs",
          count(mos)::int as scored, percentile_cont(0.5) within group (order by mos) as "medianMos"
        from measured join unnest(${sql.val(REPORT_DAYS)}::int[]) as span(days) on ended_at >= ${until}::timestamptz - span.days * interval '1 day'
        group by country_code, span.days having count(*) >= ${MIN_CALLS} order by country_code, span.days`.execute(tx);
      return rows;
    });
}

/** The latest report as it was stored. */
export interface StoredReport {
  readonly last_day: string;
  readonly made_at: Date;
  readonly destinations: readonly DestinationQuality[];
}

export async function findQualityReport(db: Reader): Promise<StoredReport | undefined> {
  return db.selectFrom("quality_report").selectAll().orderBy("last_day", "desc").limit(1).executeTakeFirst();
}

/** Replaces the latest report. */
export async function replaceQualityReport(tx: Tx, { last_day, made_at, destinations }: StoredReport): Promise<void> {
  await tx.deleteFrom("quality_report").execute();
  await tx
    .insertInto("quality_report")
    .values({ last_day, made_at, destinations: JSON.stringify(destinations) })
    .execute();
}

/**
 * Counts answered calls by the prefix of their rate in the last 90 complete days, at most four of a customer to a country and type, so that
 * nobody alone decides what most calls cost. Countries and types with fewer than 100 counted calls are left out.
 * @param until start of a day
 */
export async function countCalledPrefixes(tx: Transaction, until: Date): Promise<CalledPrefix[]> {
  const from = new Date(until.getTime() - DAYS * DAY_MS);
  await sql`select set_config('statement_timeout', ${REPORT_TIMEOUT}, true)`.execute(tx);
  const { rows } = await sql<CalledPrefix>`
    with counted as (
      select country_code, number_type, rate_prefix, row_number() over (
        partition by country_code, number_type, customer_id order by created_at desc, id desc) as place
      from call
      where created_at >= ${from} and created_at < ${until} and ended_at is not null and answered_at is not null
        and number_type in ('mobile', 'landline', 'fixed_or_mobile')
    ), prefixes as (
      select country_code, number_type, rate_prefix as prefix, count(*)::int as calls,
        sum(count(*)) over (partition by country_code, number_type) as total,
        row_number() over (partition by country_code, number_type order by count(*) desc, rate_prefix) as place
      from counted where place <= ${MAX_CALLS_PER_CUSTOMER} group by country_code, number_type, rate_prefix
    )
    select country_code, number_type, prefix, calls from prefixes
    where total >= ${MIN_CALLS} and place <= ${MAX_PREFIXES} order by country_code, number_type, prefix`.execute(tx);
  return rows;
}
