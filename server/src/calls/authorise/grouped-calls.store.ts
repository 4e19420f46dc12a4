import type { EndReason } from "@farline/contract/calls.ts";
import pg from "pg";
import type { DatabaseHandle } from "../../platform/database/database.ts";
import { callRecord, newCallRow, type AuthoriseLimits, type NewCall } from "../call.store.ts";
import type { CallRow, StoredBound } from "../calls.tables.ts";

/** A call that may be authorised, with all that decides about it. */
export interface AuthoriseRequest {
  readonly call: NewCall;
  readonly limits: AuthoriseLimits;
}

/** What is written of a call that is over. */
export interface Settlement {
  /** Of the ledger's transaction, should there be a charge. */
  readonly transactionId: string;
  readonly callId: string;
  readonly status: "completed" | "failed";
  readonly endReason: EndReason;
  readonly answeredAt: Date | null;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly billedSeconds: number;
  readonly chargeMicros: bigint;
  readonly description: string;
}

/** Rules that count the calls of a day, the one that is asked for included. */
const PATTERN_RULES = [
  "near_numbers_per_hour",
  "short_calls_per_hour",
  "same_number_per_hour",
  "numbers_per_day",
  "countries_per_day",
];

/**
 * Authorises those against which nothing speaks, each of another customer, in one prepared statement.
 * @returns the calls by customer; those that are left out are for `insertCall`
 */
export async function authorisePlainCalls(
  handle: DatabaseHandle,
  requests: readonly AuthoriseRequest[],
): Promise<Map<string, CallRow>> {
  const rows = await rowsOf<{ customer_id: string; held_micros: bigint; bounded_by: StoredBound }>(handle, {
    name: "authorise_plain_calls",
    text: "select customer_id, held_micros, bounded_by from authorise_plain_calls($1)",
    values: [JSON.stringify(requests.map(({ call, limits }) => ({ ...callRecord(call), ...boundsRecord(limits) })))],
  });
  const calls = new Map(requests.map(({ call }) => [call.customerId, call]));
  return new Map(
    rows.flatMap((row) => {
      const call = calls.get(row.customer_id);
      return call === undefined ? [] : [[row.customer_id, newCallRow(call, row)] as const];
    }),
  );
}

/**
 * Charges and closes several calls, in one prepared statement.
 * @returns the ids of those it settled; left out is what is final already, or locked by somebody else just now
 */
export async function settleCalls(handle: DatabaseHandle, settlements: readonly Settlement[]): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(handle, {
    name: "settle_calls",
    text: "select id from settle_calls($1) id",
    values: [JSON.stringify(settlements.map(settlementRecord))],
  });
  return new Set(rows.map(({ id }) => id));
}

/** What bounds a call, as `authorise_plain_calls` takes it. */
export function boundsRecord({ rules, ...limits }: AuthoriseLimits): Record<string, unknown> {
  return {
    want_micros: String(limits.wantMicros),
    least_micros: String(limits.leastMicros),
    live_limit: limits.liveCalls,
    minute_limit: limits.perMinute,
    hour_limit: limits.perHour,
    day_limit: limits.perDay,
    ...(rules !== null && {
      quiet_calls: Math.min(...PATTERN_RULES.map((rule) => Number(rules[rule]))) - 1,
      spend_per_day_micros: rules["spend_per_day_micros"],
    }),
  };
}

function settlementRecord(s: Settlement): Record<string, unknown> {
  return {
    transaction_id: s.transactionId,
    id: s.callId,
    status: s.status,
    end_reason: s.endReason,
    answered_at: s.answeredAt,
    ended_at: s.endedAt,
    duration_ms: s.durationMs,
    billed_seconds: s.billedSeconds,
    charge_micros: String(s.chargeMicros),
    description: s.description,
  };
}

/** No rows where one of several has something that the tables refuse: alone it will say so, and the others are done. */
async function rowsOf<Row extends pg.QueryResultRow>(handle: DatabaseHandle, query: pg.QueryConfig): Promise<Row[]> {
  try {
    return (await handle.pool.query<Row>(query)).rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "")) return [];
    throw error;
  }
}
