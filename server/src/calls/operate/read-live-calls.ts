import {
  BAD_SOUND_BELOW,
  MAX_LIVE_ROWS,
  SHORT_TIME_MS,
  type LiveOrder,
  type LiveState,
} from "@farline/contract/operator/constants.ts";
import type { LiveCall, LiveCallsResponse, LiveGroups } from "@farline/contract/operator/live-calls.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { searchedStart } from "@farline/domain/numbers/searched-digits.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { sharedReading } from "../../platform/metric.ts";
import { priceOf } from "../record/call-price.ts";
import { readLiveCallers, readLiveRows, type LiveCaller, type LiveCallRow, type LiveFilter } from "./live-calls.store.ts";
import { findCustomerId } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";

/** Ten times the calls of the largest installation that `docs/operate/growth.md` describes for one database. */
const MAX_LIVE = 50_000;
/** Pages ask as often as hints come, all at once; the calls are read and summed once for all of them. */
const GOOD_FOR_MS = 500;
const MAX_GROUPS = 12;
/** A customer with fewer live calls is no group. */
const MANY_CALLS = 2;

/** A live call with what it has come to. */
interface Counted {
  readonly row: LiveCallRow;
  readonly talkMs: number;
  readonly chargeMicros: bigint;
  /** Null if unknown. */
  readonly costMicros: bigint | null;
}

/** All live calls at one moment, newest first. */
interface LiveSnapshot {
  readonly at: Date;
  readonly calls: readonly Counted[];
  readonly more: boolean;
  readonly sum: LiveSum;
}

/** In micro-dollars. */
interface LiveSum {
  readonly ringing: number;
  readonly answered: number;
  readonly chargeMicros: bigint;
  /** By the decks' costs; calls of unknown cost are left out. */
  readonly costMicros: bigint;
  /** Charges less costs of the calls whose cost is known. */
  readonly marginMicros: bigint;
  readonly perMinuteMicros: bigint;
  readonly heldMicros: bigint;
}

/** One reading of all live calls for everybody who asks within half a second. */
export function liveSnapshots(ctx: Context): () => Promise<LiveSnapshot> {
  return sharedReading(() => readSnapshot(ctx), GOOD_FOR_MS);
}

/** All live calls together: how many, what they cost so far, and what they cost if each lasts until its limit. */
export async function sumLiveCalls(ctx: Pick<Context, "handle" | "clock">): Promise<LiveSum> {
  return (await readSnapshot(ctx)).sum;
}

/** Which live calls, in which order, and which part of them; all by default, newest first. */
type Wanted = LiveQuery & {
  readonly country?: string | undefined;
  readonly trunk?: string | undefined;
  readonly state?: LiveState | undefined;
  readonly order?: LiveOrder | undefined;
  readonly reverse?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
};

/**
 * A part of the live calls, ringing ones too: what each has cost so far, what is left, and, for roles that may see costs, what it earns; with
 * sums over all live calls.
 * @throws AppError not_found for an unknown customer; validation_failed for an invalid prefix
 */
export async function readLiveCalls(
  ctx: OperatorContext,
  wanted: Wanted,
  snapshot: () => Promise<LiveSnapshot> = () => readSnapshot(ctx),
): Promise<LiveCallsResponse> {
  const { db } = ctx.handle;
  const filter = await parseLiveFilter(db, wanted);
  const { at, calls, more, sum } = await snapshot();
  const matching = calls.filter((call) => isOf(call.row, filter) && isIn(call, wanted, at)).toSorted(orderOf(wanted));
  const offset = wanted.offset ?? 0;
  const shown = matching.slice(offset, offset + (wanted.limit ?? MAX_LIVE_ROWS));
  const customers = group(calls, ({ row }) => row.customer_id).filter((one) => one.calls >= MANY_CALLS);
  const people = [...shown.flatMap(({ row }) => [row.customer_id, row.payer_id ?? row.customer_id])];
  const callers = await readLiveCallers(db, [...new Set([...people, ...customers.slice(0, MAX_GROUPS).map(({ key }) => key)])]);
  const mayReadCosts = hasRight(ctx.actor.role, "read-costs");
  return {
    at: at.toISOString(),
    calls: shown.map((call) => presentLiveCall(call, callers, mayReadCosts)),
    matching: matching.length,
    more,
    sums: {
      talking: sum.answered,
      ringing: sum.ringing,
      charge: toDecimalString(sum.chargeMicros),
      per_minute: toDecimalString(sum.perMinuteMicros),
      held: toDecimalString(sum.heldMicros),
      margin: mayReadCosts ? toDecimalString(sum.marginMicros) : null,
    },
    states: countStates(calls, at),
    countries: presentGroups(
      group(calls, ({ row }) => row.country_code),
      englishNameOf,
    ),
    prefixes: presentGroups(
      group(calls, ({ row }) => row.rate_prefix),
      (prefix, { row }) => `+${prefix} ${row.rate_description}`,
    ),
    trunks: presentGroups(
      group(calls, ({ row }) => row.trunk ?? ""),
      (trunk) => trunk,
    ),
    customers: presentGroups(customers, (id) => nameOf(callers.get(id))),
    exchanges: [...new Set(calls.flatMap(({ row }) => exchangeOf(row) ?? []))].toSorted(),
  };
}

async function readSnapshot({ handle, clock }: Pick<Context, "handle" | "clock">): Promise<LiveSnapshot> {
  const rows = await readLiveRows(handle.db, MAX_LIVE + 1);
  const at = clock.now();
  const calls = rows.slice(0, MAX_LIVE).map((row) => count(row, at));
  const sum = {
    ringing: 0,
    answered: 0,
    chargeMicros: 0n,
    costMicros: 0n,
    marginMicros: 0n,
    perMinuteMicros: 0n,
    heldMicros: 0n,
  };
  for (const { row, chargeMicros, costMicros } of calls) {
    sum[row.answered_at === null ? "ringing" : "answered"] += 1;
    sum.chargeMicros += chargeMicros;
    sum.costMicros += costMicros ?? 0n;
    sum.marginMicros += costMicros === null ? 0n : chargeMicros - costMicros;
    sum.perMinuteMicros += row.answered_at === null ? 0n : row.rate_per_minute_micros;
    sum.heldMicros += row.held_micros;
  }
  return { at, calls, more: rows.length > MAX_LIVE, sum };
}

function count(row: LiveCallRow, now: Date): Counted {
  const talkMs = row.answered_at === null ? 0 : Math.max(0, now.getTime() - row.answered_at.getTime());
  const chargeMicros = row.answered_at === null ? 0n : priceOf(row, talkMs).chargeMicros;
  return { row, talkMs, chargeMicros, costMicros: costSoFar(row, talkMs) };
}

/** By the deck's cost for the number; the trunk's own cost is known at the call's end. */
function costSoFar(row: LiveCallRow, talkMs: number): bigint | null {
  const { cost_per_minute_micros: rate, cost_first_interval_seconds: first, cost_next_interval_seconds: next } = row;
  if (rate === null || first === null || next === null) return null;
  if (row.answered_at === null) return 0n;
  const cost = { ratePerMinuteMicros: rate, firstIntervalSeconds: first, nextIntervalSeconds: next };
  return chargeFor(billedSeconds(Math.ceil(talkMs / 1000), cost), cost);
}

function isOf(row: LiveCallRow, filter: Awaited<ReturnType<typeof parseLiveFilter>>): boolean {
  if (filter === null) return true;
  if ("call" in filter) return row.id === filter.call;
  if ("customer" in filter) return row.customer_id === filter.customer || row.payer_id === filter.customer;
  return "prefix" in filter ? row.destination.startsWith(filter.prefix) : exchangeOf(row) === filter.exchange;
}

function isIn(call: Counted, { country, trunk, state }: Wanted, at: Date): boolean {
  const { row } = call;
  if (country !== undefined && row.country_code !== country) return false;
  if (trunk !== undefined && (row.trunk ?? "") !== trunk) return false;
  return state === undefined || STATES[state](call, at);
}

const STATES: Readonly<Record<LiveState, (call: Counted, at: Date) => boolean>> = {
  ringing: ({ row }) => row.answered_at === null,
  short: ({ row }, at) => row.ends_at !== null && row.ends_at.getTime() - at.getTime() < SHORT_TIME_MS,
  bad_sound: ({ row }) => row.mos !== null && row.mos < BAD_SOUND_BELOW,
};

function countStates(calls: readonly Counted[], at: Date): LiveCallsResponse["states"] {
  const counted = { ringing: 0, short: 0, bad_sound: 0 };
  for (const call of calls)
    for (const name of Object.keys(counted) as LiveState[]) counted[name] += STATES[name](call, at) ? 1 : 0;
  return counted;
}

type Compare = (one: Counted, other: Counted) => number;

const ORDERS: Readonly<Record<LiveOrder, Compare>> = {
  cost: mostExpensiveFirst,
  duration: (one, other) => other.talkMs - one.talkMs,
  start: newestFirst,
  country: (one, other) => one.row.country_code.localeCompare(other.row.country_code),
  trunk: (one, other) => (one.row.trunk ?? "").localeCompare(other.row.trunk ?? ""),
};

interface Charged {
  readonly chargeMicros: bigint;
}

function mostExpensiveFirst({ chargeMicros: one }: Charged, { chargeMicros: other }: Charged): number {
  return one === other ? 0 : one < other ? 1 : -1;
}

/** Calls that are equal in an order are shown in a fixed one, so that parts of the list fit together. */
function orderOf({ order = "start", reverse = false }: Wanted): Compare {
  const [compare, sign] = [ORDERS[order], reverse ? -1 : 1];
  return (one, other) => sign * compare(one, other) || newestFirst(one, other);
}

function newestFirst({ row: one }: Counted, { row: other }: Counted): number {
  return other.created_at.getTime() - one.created_at.getTime() || (one.id < other.id ? 1 : -1);
}

interface Group {
  readonly key: string;
  readonly first: Counted;
  calls: number;
  chargeMicros: bigint;
}

/** The most expensive first. */
function group(calls: readonly Counted[], keyOf: (call: Counted) => string): Group[] {
  const groups = new Map<string, Group>();
  for (const call of calls) {
    const key = keyOf(call);
    const found = groups.get(key) ?? { key, first: call, calls: 0, chargeMicros: 0n };
    found.calls += 1;
    found.chargeMicros += call.chargeMicros;
    groups.set(key, found);
  }
  return [...groups.values()].toSorted(
    (one, other) => mostExpensiveFirst(one, other) || other.calls - one.calls || one.key.localeCompare(other.key),
  );
}

function presentGroups(groups: readonly Group[], name: (key: string, first: Counted) => string): LiveGroups {
  const rest = groups.slice(MAX_GROUPS);
  return {
    groups: groups.slice(0, MAX_GROUPS).map(({ key, first, calls, chargeMicros }) => ({
      key,
      name: name(key, first),
      calls,
      charge: toDecimalString(chargeMicros),
    })),
    others: {
      groups: rest.length,
      calls: rest.reduce((sum, { calls }) => sum + calls, 0),
      charge: toDecimalString(rest.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0n)),
    },
  };
}

function presentLiveCall(
  { row, chargeMicros, costMicros }: Counted,
  callers: ReadonlyMap<string, LiveCaller>,
  mayReadCosts: boolean,
): LiveCall {
  const caller = callers.get(row.customer_id);
  const payer = callers.get(row.payer_id ?? row.customer_id);
  return {
    id: row.id,
    customer_id: row.customer_id,
    name: nameOf(caller),
    email: caller?.email ?? "",
    status: row.status,
    since: row.created_at.toISOString(),
    answered_at: row.answered_at?.toISOString() ?? null,
    ends_at: row.ends_at?.toISOString() ?? null,
    destination: row.destination,
    country_code: row.country_code,
    number_type: row.number_type,
    price_class: row.price_class,
    rate_per_minute: rateToDecimalString(row.rate_per_minute_micros),
    first_interval_s: row.first_interval_seconds,
    next_interval_s: row.next_interval_seconds,
    charge: toDecimalString(chargeMicros),
    credit_left: toDecimalString((payer?.balance_micros ?? 0n) - chargeMicros),
    margin: !mayReadCosts || costMicros === null ? null : toDecimalString(chargeMicros - costMicros),
    trunk: row.trunk,
    exchange: exchangeOf(row),
    mos: row.mos,
    ending: row.hangup_requested_at !== null,
  };
}

/** Customers need no name. */
function nameOf(caller: LiveCaller | undefined): string {
  return caller === undefined ? "" : caller.name || caller.email;
}

function exchangeOf(row: LiveCallRow): string | null {
  return exchangeOfControlId(row.parked_call_control_id ?? "");
}

/** Which live calls an operator means. Without any of these, all. */
interface LiveQuery {
  readonly call?: string | undefined;
  /** Id or email address. */
  readonly customer?: string | undefined;
  /** The start of the called numbers, with or without the plus. */
  readonly prefix?: string | undefined;
}

/** @throws AppError not_found, validation_failed */
export async function parseLiveFilter(tx: Tx, query: LiveQuery): Promise<LiveFilter | null> {
  const { call, customer, prefix } = query;
  if (call !== undefined) {
    if (!isUuid(call)) throw new AppError("not_found", { reason: "operator.no_call", params: { call } });
    return { call };
  }
  if (customer !== undefined) {
    const id = await findCustomerId(tx, customer);
    if (id === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
    return { customer: id };
  }
  if (prefix === undefined) return null;
  const start = searchedStart(prefix);
  if (start === null) throw new AppError("validation_failed", { reason: "operator.number_form" });
  return { prefix: start };
}
