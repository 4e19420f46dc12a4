import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Which live calls: that a customer makes or pays, to numbers that begin with a prefix, or one. */
export type LiveFilter =
  | { readonly call: string }
  | { readonly customer: string }
  | { readonly prefix: string }
  | { readonly exchange: string };

/** Of a call's sixty columns, those that lines and sums need: there may be thousands of calls. */
const COLUMNS = [
  "id",
  "customer_id",
  "payer_id",
  "status",
  "created_at",
  "answered_at",
  "ends_at",
  "destination",
  "country_code",
  "number_type",
  "price_class",
  "rate_prefix",
  "rate_description",
  "rate_per_minute_micros",
  "first_interval_seconds",
  "next_interval_seconds",
  "held_micros",
  "cap_seconds",
  "trunk",
  "parked_call_control_id",
  "hangup_requested_at",
] as const;

export type LiveCallRow = Pick<CallRow, (typeof COLUMNS)[number]> & {
  /** Of the browser's latest measurement. */
  readonly mos: number | null;
  readonly cost_per_minute_micros: bigint | null;
  readonly cost_first_interval_seconds: number | null;
  readonly cost_next_interval_seconds: number | null;
};

/** Live calls, ringing ones too, newest first. Only live calls are read, and there are few of them. */
export async function readLiveRows(tx: Tx, limit: number): Promise<LiveCallRow[]> {
  const { rows } = await sql<LiveCallRow>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`call.${column}`)))}, sample.mos,
      rate.cost_per_minute_micros, rate.cost_first_interval_seconds, rate.cost_next_interval_seconds
    from call
    left join deck_rate rate on rate.deck_id = call.deck_id and rate.prefix = call.rate_prefix
    left join lateral (
      select q.mos from call_quality q where q.call_id = call.id order by q.second desc limit 1
    ) sample on true
    where call.ended_at is null
    order by call.created_at desc, call.id desc limit ${limit}`.execute(tx);
  return rows;
}

/** Who is meant by the ids, and the credit that they call on: their own or their family's. */
export interface LiveCaller {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly balance_micros: bigint;
}

/** Callers and payers by id. */
export async function readLiveCallers(tx: Tx, ids: readonly string[]): Promise<Map<string, LiveCaller>> {
  const { rows } = await sql<LiveCaller>`
    select customer.id, customer.name, customer.email, account.balance_micros
    from customer join account on account.customer_id = customer.id where customer.id = any(${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks the live calls that a hang-up would end, without those that are being hung up already. */
export async function lockCallsToEnd(tx: Transaction, filter: LiveFilter, limit: number): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`
    select * from call where ended_at is null and hangup_requested_at is null and ${conditionOf(filter)}
    order by id limit ${limit} for no key update`.execute(tx);
  return rows;
}

/**
 * Requests the hang-up of locked calls: the sweeper ends their legs. A ticket that was not used yet is closed, so that nobody dials with it.
 * @returns the calls as they are now
 */
export async function requestHangUps(tx: Transaction, calls: readonly CallRow[], at: Date): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`
    update call set hangup_requested_at = ${at}, next_check_at = ${at},
      ticket_used_at = case when parked_call_control_id is null then coalesce(ticket_used_at, ${at}) else ticket_used_at end
    where id = any(${calls.map(({ id }) => id)}::uuid[])
    returning *`.execute(tx);
  return rows;
}

/** The live calls of an exchange, longest unseen first. */
export async function readCallsOfExchange(tx: Tx, exchange: string, limit: number): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`
    select * from call where ended_at is null and ${conditionOf({ exchange })}
    order by last_seen_alive_at nulls first limit ${limit}`.execute(tx);
  return rows;
}

function conditionOf(filter: LiveFilter) {
  if ("call" in filter) return sql`call.id = ${filter.call}`;
  if ("customer" in filter) return sql`${filter.customer} in (call.customer_id, call.payer_id)`;
  if ("prefix" in filter) return sql`starts_with(call.destination, ${filter.prefix})`;
  return sql`starts_with(call.parked_call_control_id, ${`v3:${filter.exchange}.`})`;
}
