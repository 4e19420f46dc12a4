import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { PAID_MICROS } from "../record/present-call.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { CallCondition, SearchCondition } from "./call-condition.ts";

/** Cursor: the call after which a page begins. */
export interface After {
  readonly createdAt: Date;
  readonly id: string;
}

interface CallSums {
  readonly calls: number;
  readonly answered: number;
  /** Each call is rounded up to whole seconds. */
  readonly seconds: number;
  readonly paidMicros: bigint;
}

export interface UsageRow {
  /** 1 is the first month of the span. */
  readonly month: number;
  readonly country_code: string;
  readonly calls: number;
  readonly seconds: number;
  readonly paid_micros: bigint;
}

type CallExpressions = ExpressionBuilder<Tables, "call">;

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
 * A page of a customer's calls, newest first. Selects the page by an index-only scan, then reads only its rows.
 */
export async function readCallPage(
  tx: Tx,
  customerId: string,
  { condition, after, limit }: { condition: CallCondition; after: After | null; limit: number },
): Promise<CallRow[]> {
  return tx
    .with("page", (db) => {
      let query = db.selectFrom("call").select("id").where("customer_id", "=", customerId).where(matchesCondition(condition));
      if (after !== null)
        query = query.where(sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`);
      return query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit);
    })
    .selectFrom("call")
    .innerJoin("page", "page.id", "call.id")
    .selectAll("call")
    .orderBy("call.created_at", "desc")
    .orderBy("call.id", "desc")
    .execute();
}

/** The newest calls that the member made on the owner's credit. */
export async function readMemberCalls(tx: Tx, of: { ownerId: string; memberId: string; limit: number }): Promise<CallRow[]> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where("customer_id", "=", of.memberId)
    .where("payer_id", "=", of.ownerId)
    .orderBy("created_at", "desc")
    .limit(of.limit)
    .execute();
}

export async function sumCalls(tx: Tx, customerId: string, condition: CallCondition): Promise<CallSums> {
  const row = await tx
    .selectFrom("call")
    .select([
      sql<bigint>`count(*)`.as("calls"),
      sql<bigint>`count(*) filter (where status in ('in-progress', 'completed'))`.as("answered"),
      sql<bigint>`coalesce(sum((duration_ms + 999) / 1000), 0)`.as("seconds"),
      sql<bigint>`coalesce(sum(${PAID_MICROS}), 0)::bigint`.as("paid_micros"),
    ])
    .where("customer_id", "=", customerId)
    .where(matchesCondition(condition))
    .executeTakeFirstOrThrow();
  return {
    calls: Number(row.calls),
    answered: Number(row.answered),
    seconds: Number(row.seconds),
    paidMicros: row.paid_micros,
  };
}

export async function countCallsByCountry(tx: Tx, customerId: string): Promise<{ country_code: string; calls: number }[]> {
  const rows = await tx
    .selectFrom("call")
    .select(["country_code", sql<bigint>`count(*)`.as("calls")])
    .where("customer_id", "=", customerId)
    .groupBy("country_code")
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

/** A previously called number. */
export interface CalledNumber {
  readonly destination: string;
  readonly country_code: string;
}

/**
 * The distinct numbers of a customer's latest `calls` calls since a time, latest first. With `digits`, only numbers that contain
 * them.
 */
export async function readCalledNumbers(
  tx: Tx,
  customerId: string,
  filter: { digits: string | null; since: Date; calls: number; limit: number },
): Promise<CalledNumber[]> {
  const latest = tx
    .selectFrom("call")
    .select(["destination", "country_code", "created_at"])
    .where("customer_id", "=", customerId)
    .where("created_at", ">", filter.since)
    // Masked numbers cannot be called.
    .where("destination", "not like", "%*")
    .orderBy("created_at", "desc")
    .limit(filter.calls);
  let query = tx.selectFrom(latest.as("latest")).select(["destination", "country_code"]);
  if (filter.digits !== null) query = query.where("destination", "like", `%${filter.digits}%`);
  return query
    .groupBy(["destination", "country_code"])
    .orderBy((eb) => eb.fn.max("created_at"), "desc")
    .limit(filter.limit)
    .execute();
}

/** Calls and spend by month and country. @param starts of the months, the oldest first; the last one is not over */
export async function readUsage(tx: Tx, customerId: string, starts: readonly Date[]): Promise<UsageRow[]> {
  const { rows } = await sql<Record<keyof UsageRow, string | bigint | number>>`
    select width_bucket(created_at, ${starts}::timestamptz[]) as month, country_code, count(*) as calls,
      sum((duration_ms + 999) / 1000) as seconds, sum(${PAID_MICROS})::bigint as paid_micros
    from call
    where customer_id = ${customerId} and created_at >= ${starts[0]}
    group by 1, 2`.execute(tx);
  return rows.map((row) => ({
    month: Number(row.month),
    country_code: String(row.country_code),
    calls: Number(row.calls),
    seconds: Number(row.seconds),
    paid_micros: BigInt(row.paid_micros),
  }));
}

function matchesCondition(condition: CallCondition): (eb: CallExpressions) => Expression<SqlBool> {
  return (eb) => {
    const { from, to, countryCode, statuses, numbers, search } = condition;
    const conditions: Expression<SqlBool>[] = [];
    if (from !== null) conditions.push(eb("created_at", ">=", from));
    if (to !== null) conditions.push(eb("created_at", "<", to));
    if (countryCode !== null) conditions.push(eb("country_code", "=", countryCode));
    if (statuses !== null) conditions.push(eb("status", "=", eb.fn.any(eb.val([...statuses]))));
    if (numbers !== null) conditions.push(eb("destination", "=", eb.fn.any(eb.val([...numbers]))));
    if (search !== null) conditions.push(matchesSearch(eb, search));
    return eb.and(conditions);
  };
}

function matchesSearch(eb: CallExpressions, { digits, countryCodes, numbers }: SearchCondition): Expression<SqlBool> {
  const alternatives: Expression<SqlBool>[] = [];
  if (digits !== null) alternatives.push(eb("destination", "like", `%${digits}%`));
  if (countryCodes.length > 0) alternatives.push(eb("country_code", "=", eb.fn.any(eb.val([...countryCodes]))));
  if (numbers.length > 0) alternatives.push(eb("destination", "=", eb.fn.any(eb.val([...numbers]))));
  return eb.or(alternatives);
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
