import type { CallQuery, CustomerQuery, PaymentQuery } from "@farline/contract/operator/lists.ts";
import type { CallStatus, EndReason } from "@farline/contract/calls.ts";
import type { FreezeReason } from "@farline/contract/constants.ts";
import type { CustomerState, PaymentStatus } from "@farline/contract/operator/constants.ts";
import { declineCodesOf, declineWords } from "@farline/contract/operator/words/money-words.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { momentOnClock } from "@farline/domain/wall-clock.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../platform/database/database.ts";

/** Rows that one page may read to find its own: what it looks for may be rare, and the table has millions. */
const READ_FOR_A_PAGE = 5_000;
/** A count reads no further, and says that there are more. */
const MAX_COUNTED = 10_000;
/** Sign-ins and sessions that are read to find a network's customers, and customers that a list then searches. */
const MAX_SEEN = 5_000;
const MAX_OF_A_NETWORK = 500;

interface Owned {
  readonly id: string;
  readonly customer_id: string;
  readonly name: string;
  readonly email: string;
  readonly at: Date;
  /** The position, exact to the microsecond. */
  readonly place: string;
}

export interface PaymentListRow extends Owned {
  readonly charge_micros: bigint;
  readonly status: PaymentStatus;
  readonly refunded_micros: bigint;
  readonly disputed: boolean;
  readonly reason: string | null;
  readonly card: string;
}

export interface CallListRow extends Owned {
  readonly destination: string;
  readonly country_code: string;
  readonly trunk: string | null;
  readonly status: CallStatus;
  readonly end_reason: EndReason | null;
  readonly billed_seconds: number;
  readonly charge_micros: bigint;
  readonly carrier_cost_micros: bigint | null;
}

export interface CustomerListRow extends Owned {
  readonly email_verified: boolean;
  readonly state: CustomerState;
  readonly reason: FreezeReason | null;
  readonly balance_micros: bigint;
}

/**
 * A list over a table `one`. `leading` conditions are answered by one index in the order of time; `other` ones are tried on each row that
 * the index yields, and no page reads more than `READ_FOR_A_PAGE` of these.
 */
export interface Selection<Row> {
  readonly table: "payment" | "call" | "customer";
  readonly leading: readonly RawBuilder<boolean>[];
  readonly other: readonly RawBuilder<boolean>[];
  /** Only of these customers; null for all. Few, so each one's rows are read by themselves, without a bound. */
  readonly customers: readonly string[] | null;
  readonly columns: RawBuilder<Row>;
}

/**
 * Calls are read in two parts, each by its own index: those of lists and searches have ended calls only, so that they are written once for
 * each call. Live ones are few.
 */
export const PARTS_OF_CALLS = [sql<boolean>`ended_at is null`, sql<boolean>`ended_at is not null`] as const;

/** Where a page begins: behind this time and id. */
export interface Place {
  /** ISO 8601 with microseconds. */
  readonly at: string;
  readonly id: string;
}

/** Part of a list, newest first. */
export async function readRows<Row>(
  tx: Tx,
  chosen: Selection<Row>,
  page: { after: Place | null; limit: number },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select one.id, customer.id as customer_id, customer.name, customer.email, one.created_at as at, ${placeOf(sql`one`)} as place,
      ${chosen.columns}
    from (${matching(chosen, page)}) one join customer on customer.id = one.${customerOf(chosen)}
    order by one.created_at desc, one.id desc`.execute(tx);
  return rows;
}

/** The last row that a page has read without finding enough, from which the next page goes on; null at the list's end. */
export async function readStop(tx: Tx, chosen: Selection<unknown>, after: Place | null): Promise<string | null> {
  if (chosen.customers !== null || chosen.other.length === 0) return null;
  const { rows } = await sql<{ place: string }>`
    select ${placeOf(sql`one`)} as place from (${candidates(chosen, after, READ_FOR_A_PAGE)}) one
    order by one.created_at desc, one.id desc offset ${READ_FOR_A_PAGE - 1} limit 1`.execute(tx);
  return rows[0]?.place ?? null;
}

/** How many rows match, of the newest that may. Where the index alone does not decide, no more are read than a page may read. */
export async function countRows(tx: Tx, chosen: Selection<unknown>): Promise<{ rows: number; more: boolean }> {
  const most = chosen.customers === null && chosen.other.length > 0 ? READ_FOR_A_PAGE : MAX_COUNTED;
  const shape = chosen.other.length === 0 ? ONLY_TIMES : WHOLE_ROWS;
  const read =
    chosen.customers === null
      ? newest(chosen, chosen.leading, most + 1, shape)
      : sql`${ofEach(chosen.customers, chosen, { conditions: chosen.leading, limit: most + 1, shape })} limit ${most + 1}`;
  const { rows } = await sql<{ matching: number; read: number }>`
    select count(*) filter (where ${all(chosen.other)})::int as matching, count(*)::int as read from (${read}) one`.execute(tx);
  const [counted] = rows;
  return { rows: Math.min(counted?.matching ?? 0, most), more: (counted?.read ?? 0) > most };
}

/** The customers who were last seen in a network, as sessions name it. */
export async function customersIn(tx: Tx, network: string): Promise<{ customers: string[]; cut: boolean }> {
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from (
      (select customer_id, happened_at as at from security_event where network = ${network} order by happened_at desc limit ${MAX_SEEN})
      union all
      (select customer_id, created_at from session where network = ${network} order by created_at desc limit ${MAX_SEEN})
    ) seen group by customer_id order by max(at) desc limit ${MAX_OF_A_NETWORK + 1}`.execute(tx);
  return { customers: rows.slice(0, MAX_OF_A_NETWORK).map((row) => row.customer_id), cut: rows.length > MAX_OF_A_NETWORK };
}

function matching(chosen: Selection<unknown>, { after, limit }: { after: Place | null; limit: number }): RawBuilder<unknown> {
  if (chosen.customers === null)
    return sql`select * from (${candidates(chosen, after, READ_FOR_A_PAGE)}) one where ${all(chosen.other)}
      order by one.created_at desc, one.id desc limit ${limit}`;
  const conditions = [...chosen.leading, ...chosen.other, ...behind(after)];
  return sql`${ofEach(chosen.customers, chosen, { conditions, limit, shape: WHOLE_ROWS })} order by one.created_at desc, one.id desc limit ${limit}`;
}

/** The newest rows of each of these customers. All customers' at once, the planner might read the whole table in the order of time. */
function ofEach(
  customers: readonly string[],
  chosen: Selection<unknown>,
  { conditions, limit, shape }: { conditions: readonly RawBuilder<boolean>[]; limit: number; shape: typeof WHOLE_ROWS },
): RawBuilder<unknown> {
  const ofOwner = sql<boolean>`one.${customerOf(chosen)} = owner.id`;
  return sql`select one.* from unnest(${customers}::uuid[]) as owner (id) cross join lateral (
      ${newest(chosen, [ofOwner, ...conditions], limit, shape)}) one`;
}

function candidates(chosen: Selection<unknown>, after: Place | null, limit: number): RawBuilder<unknown> {
  return newest(chosen, [...chosen.leading, ...behind(after)], limit);
}

const WHOLE_ROWS = { columns: sql`*`, order: sql`created_at desc, id desc` };
/** Enough to count them, and nothing that an index of the filters lacks. */
const ONLY_TIMES = { columns: sql`created_at`, order: sql`created_at desc` };

/** The newest rows under conditions that an index answers. The index of a customer's calls has the live ones too. */
function newest(
  { table, customers }: Selection<unknown>,
  conditions: readonly RawBuilder<boolean>[],
  limit: number,
  { columns, order: by } = WHOLE_ROWS,
): RawBuilder<unknown> {
  const order = sql`order by ${by} limit ${limit}`;
  const rowsOf = (part: readonly RawBuilder<boolean>[]) =>
    sql`select ${columns} from ${sql.table(table)} one where ${all([...part, ...conditions])} ${order}`;
  if (table !== "call" || customers !== null) return rowsOf([]);
  const [live, ended] = PARTS_OF_CALLS;
  return sql`(${rowsOf([live])}) union all (${rowsOf([ended])}) ${order}`;
}

/** The first condition is what the index reads; the second tells apart what happened in the same microsecond. */
function behind(after: Place | null): RawBuilder<boolean>[] {
  if (after === null) return [];
  return [
    sql`one.created_at <= ${after.at}::timestamptz`,
    sql`(one.created_at, one.id) < (${after.at}::timestamptz, ${after.id}::uuid)`,
  ];
}

function placeOf(row: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${row}.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '~' || ${row}.id`;
}

function customerOf({ table }: Selection<unknown>) {
  return sql.ref(table === "customer" ? "id" : "customer_id");
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** @property zone IANA name; whose clock begins the days */
export type Narrowed<Query> = Query & { readonly customers: readonly string[] | null; readonly zone: string };

export function payments(query: Narrowed<PaymentQuery>): Selection<PaymentListRow> {
  const state = paymentState(query.state);
  return {
    table: "payment",
    leading: [...spanOf(query), ...state.leading],
    other: [...state.other, ...amountOf(query, sql`one.charge_micros`), ...given(query.reason, declinedFor)],
    customers: query.customers,
    columns: sql`one.charge_micros, one.status, one.refunded_micros, ${DISPUTED} as disputed, ${REASON} as reason,
      concat_ws(' ', one.card_brand, one.card_last4) as card`,
  };
}

const DISPUTED = sql<boolean>`exists (select from dispute d where d.payment_id = one.id)`;
const LATEST_DECLINE = sql`(select f.code from payment_failure f where f.payment_id = one.id order by f.failed_at desc limit 1)`;
const REASON = sql<string>`case when one.status <> 'paid' then coalesce(one.failure_code, ${LATEST_DECLINE}) end`;

/** The provider may name a reason that has no words. */
function declinedFor(reason: string): RawBuilder<boolean> {
  const codes = declineCodesOf(reason);
  return codes.length > 0 ? sql`${REASON} = any(${codes})` : sql`${REASON} <> all(${Object.keys(declineWords)})`;
}

function paymentState(state: PaymentQuery["state"]): Pick<Selection<unknown>, "leading" | "other"> {
  const unpaid = sql<boolean>`one.status <> 'paid'`;
  switch (state) {
    case undefined:
      return { leading: [], other: [] };
    case "paid":
      return { leading: [], other: [sql`one.status = 'paid'`] };
    case "failed":
      return { leading: [unpaid], other: [sql`(one.status = 'failed' or ${LATEST_DECLINE} is not null)`] };
    case "waiting":
      return { leading: [unpaid], other: [sql`one.status in ('created', 'open', 'pending', 'review')`] };
    case "refunded":
      return { leading: [sql`one.refunded_micros > 0`], other: [] };
    case "disputed":
    default:
      // Disputes are few: card networks close accounts with one in a hundred payments. As a join, the planner reads payments until it has met enough.
      return { leading: [sql`one.id = any(array(select d.payment_id from dispute d))`], other: [] };
  }
}

export function calls(query: Narrowed<CallQuery>): Selection<CallListRow> {
  const { reason, country, trunk } = query;
  const by = {
    // Said twice, so that the index of the rare reasons fits.
    reason: given(
      reason,
      (one) => sql`one.end_reason = ${one}${one === "hangup" ? sql`` : sql` and one.end_reason <> 'hangup'`}`,
    ),
    country: given(country, (code) => sql`one.country_code = ${code}`),
    trunk: given(trunk, (name) => sql`one.trunk = ${name}`),
  };
  const leads = reason !== undefined && reason !== "hangup" ? "reason" : country !== undefined ? "country" : "trunk";
  const rest = (["reason", "country", "trunk"] as const).filter((name) => name !== leads);
  return {
    table: "call",
    leading: [...spanOf(query), ...by[leads]],
    other: [
      ...rest.flatMap((name) => by[name]),
      ...given(query.status, (status) => sql`one.status = ${status}`),
      ...given(query.prefix, (prefix) => sql`starts_with(one.destination, ${prefix})`),
      ...amountOf(query, sql`one.charge_micros`),
    ],
    customers: query.customers,
    columns: sql`one.destination, one.country_code, one.trunk, one.status, one.end_reason, one.billed_seconds, one.charge_micros,
      one.carrier_cost_micros`,
  };
}

export function customers(query: Narrowed<CustomerQuery>): Selection<CustomerListRow> {
  const balance = sql`(select account.balance_micros from account where account.customer_id = one.id)`;
  const restricted = sql<boolean>`(one.status <> 'active' or one.closes_at is not null)`;
  return {
    table: "customer",
    leading: [...spanOf(query), ...(query.state === undefined || query.state === "active" ? [] : [restricted])],
    other: [
      ...given(query.state, (state) => sql`${STATE} = ${state}`),
      ...given(query.reason, (reason) => sql`one.status = 'frozen' and one.frozen_because = ${reason}`),
      ...amountOf(query, balance),
    ],
    customers: query.customers,
    columns: sql`one.email_verified, ${STATE} as state, case when one.status = 'frozen' then one.frozen_because end as reason,
      coalesce(${balance}, 0) as balance_micros`,
  };
}

const STATE = sql<string>`case when one.status = 'active' and one.closes_at is not null then 'closing' else one.status end`;

function spanOf({ from, to, zone }: { from?: string | undefined; to?: string | undefined; zone: string }): RawBuilder<boolean>[] {
  const start = (date: string) => momentOnClock({ date, time: "00:00", timeZone: zone });
  return [
    ...given(from, (day) => sql`one.created_at >= ${start(day)}`),
    ...given(to, (day) => sql`one.created_at < ${start(dayAfter(day))}`),
  ];
}

/** @param day "2026-11-29" */
function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().replace(/T.*/, "");
}

function amountOf(query: { least?: bigint | undefined; most?: bigint | undefined }, amount: RawBuilder<unknown>) {
  return [
    ...given(query.least, (micros) => sql<boolean>`${amount} >= ${micros}`),
    ...given(query.most, (micros) => sql<boolean>`${amount} <= ${micros}`),
  ];
}

function given<Value>(value: Value | undefined, condition: (value: Value) => RawBuilder<unknown>): RawBuilder<boolean>[] {
  return value === undefined ? [] : [condition(value) as RawBuilder<boolean>];
}
