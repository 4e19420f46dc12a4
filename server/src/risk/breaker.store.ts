import { DAY_MS, DAY_SECONDS, HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database/database.ts";
import type { Breaker } from "./risk.tables.ts";

/** Row limit for operators' lists and for one cost check. */
const MAX_BREAKERS = 500;
const MAX_PREFIXES = 10_000;
const MEAN_OF_DAYS = 7;
const HOUR_SECONDS = 60 * 60;

/**
 * A call's cost to us in micro-dollars: as reported by the carrier or, until then, by the deck for the time so far. A call whose deck no
 * longer exists counts with the customer's price.
 */
export const CALL_COST = sql<bigint>`
  coalesce(c.carrier_cost_micros, case when t.seconds <= 0 then 0 else
    (coalesce(r.cost_first_interval_seconds, 1)
      + ceil(greatest(t.seconds - coalesce(r.cost_first_interval_seconds, 1), 0)
        / coalesce(r.cost_next_interval_seconds, 1)::numeric) * coalesce(r.cost_next_interval_seconds, 1))
    * coalesce(r.cost_per_minute_micros, c.rate_per_minute_micros) / 60 end)::bigint`;

/** Longer than any call, which bounds searches by the time of its beginning. */
const LONGEST_CALL_MS = 6 * HOUR_MS;

/** Calls since a time, with the columns that `CALL_COST` needs. */
export function callsSince(since: Date, now: Date) {
  return sql`call c
    left join deck_rate r on r.deck_id = c.deck_id and r.prefix = c.rate_prefix
    cross join lateral (select coalesce(ceil(extract(epoch from coalesce(c.ended_at, ${now}) - c.answered_at)), 0) as seconds) t
    where c.created_at > ${new Date(since.getTime() - LONGEST_CALL_MS)}`;
}

/** The answered ones. */
function costedCalls(since: Date, now: Date) {
  return sql`${callsSince(since, now)} and c.answered_at is not null`;
}

/** Adds a code call, which we pay for, to the day's carrier cost. */
export async function addCodeCallCost(tx: Tx, at: Date, micros: bigint): Promise<void> {
  await sql`insert into code_call_cost as c (day, micros) values (${dayOf(at)}, ${micros})
    on conflict (day) do update set micros = c.micros + excluded.micros`.execute(tx);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The cost of calls since the beginning of a UTC day, including running calls and code calls, in micro-dollars. */
export async function readCarrierSpend(tx: Tx, since: Date, now: Date): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select (coalesce(sum(${CALL_COST}), 0)
      + (select coalesce(sum(micros), 0) from code_call_cost where day >= ${dayOf(since)}::date))::bigint as micros from ${costedCalls(since, now)}
      and (c.ended_at is null or c.ended_at >= ${since})`.execute(tx);
  return rows[0]?.micros ?? 0n;
}

/** A prefix's cost in the last hour, and its mean cost in the same hour of the previous seven days, in micro-dollars. */
export interface HourlyCost {
  readonly prefix: string;
  readonly countryCode: string;
  readonly hourMicros: bigint;
  readonly meanMicros: bigint;
}

/**
 * The last hour's cost by prefix, in countries that cost more than `aboveMicros`. Other countries are below the limit, so their previous
 * days are not read.
 */
export async function readHourlyCosts(tx: Tx, now: Date, aboveMicros: bigint): Promise<HourlyCost[]> {
  const hour = new Date(now.getTime() - HOUR_MS);
  const week = new Date(now.getTime() - MEAN_OF_DAYS * DAY_MS - HOUR_MS);
  const daysBefore = Array.from({ length: MEAN_OF_DAYS }, (_, day) => now.getTime() - (day + 1) * DAY_MS);
  // The index finds these hours alone; a whole week of calls would take longer than the job may.
  const begun = daysBefore.map(
    (end) => sql`c.created_at between ${new Date(end - HOUR_MS - LONGEST_CALL_MS)} and ${new Date(end)}`,
  );
  const { rows } = await sql<HourlyCost>`
    with hour as materialized (
      select c.rate_prefix as prefix, min(c.country_code) as country, sum(${CALL_COST})::bigint as micros
      from ${costedCalls(hour, now)} and (c.ended_at is null or c.ended_at >= ${hour}) group by c.rate_prefix
    ), dear as materialized (
      select country from hour group by country having sum(micros) > ${aboveMicros}
    ), before as materialized (
      select c.rate_prefix as prefix, sum(${CALL_COST}) as micros
      from ${costedCalls(week, now)} and exists (select from dear) and c.country_code in (select country from dear)
        and (${sql.join(begun, sql` or `)}) and c.ended_at between ${week} and ${hour}
        and extract(epoch from ${now}::timestamptz - c.ended_at)::numeric % ${DAY_SECONDS} < ${HOUR_SECONDS}
      group by c.rate_prefix
    )
    select prefix, country as "countryCode", hour.micros as "hourMicros",
      (coalesce(before.micros, 0) / ${MEAN_OF_DAYS})::bigint as "meanMicros"
    from hour join dear using (country) left join before using (prefix)
    order by hour.micros desc limit ${MAX_PREFIXES}`.execute(tx);
  return rows;
}

/** Breakers that end after `since`, including lifted ones, newest first. */
export async function listBreakers(tx: Tx, since: Date): Promise<Breaker[]> {
  return tx
    .selectFrom("breaker")
    .selectAll()
    .where("until", ">", since)
    .orderBy("opened_at", "desc")
    .orderBy("id", "desc")
    .limit(MAX_BREAKERS)
    .execute();
}

export async function insertBreaker(
  tx: Tx,
  breaker: Pick<Breaker, "kind" | "subject" | "until"> & { inputs: Breaker["inputs"]; openedAt: Date },
): Promise<void> {
  const { kind, subject, until, inputs, openedAt } = breaker;
  await tx
    .insertInto("breaker")
    .values({ id: uuidv7(), kind, subject, until, inputs: JSON.stringify(inputs), opened_at: openedAt })
    .execute();
}

/** @returns the breaker, or undefined if none with this id is in force */
export async function markLifted(tx: Tx, id: string, at: Date): Promise<Breaker | undefined> {
  return tx
    .updateTable("breaker")
    .set({ lifted_at: at })
    .where("id", "=", id)
    .where("kind", "<>", "spend_note")
    .where("until", ">", at)
    .where("lifted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}
