import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { rateToDecimalString, toDecimalString } from "@farline/domain/money.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { priceOf } from "../record/call-price.ts";
import { type LiveCallRow, readLiveRows } from "./live-calls.store.ts";
import { type LiveQuery, parseLiveFilter } from "./live-filter.ts";

/** More calls than one person can look at. */
const MAX_SHOWN = 2_000;

/**
 * Live calls, ringing ones too, newest first: what each has cost so far, what is left, and, for roles that may see costs, what it earns.
 * @throws AppError not_found for an unknown customer; validation_failed for an invalid prefix
 */
export async function readLiveCalls(ctx: OperatorContext, query: LiveQuery): Promise<LiveCallsResponse> {
  const { db } = ctx.handle;
  const rows = await readLiveRows(db, await parseLiveFilter(db, query), MAX_SHOWN + 1);
  const now = ctx.clock.now();
  const mayReadCosts = hasRight(ctx.actor.role, "read-costs");
  return {
    calls: rows.slice(0, MAX_SHOWN).map((row) => presentLiveCall(row, { now, mayReadCosts })),
    more: rows.length > MAX_SHOWN,
    at: now.toISOString(),
  };
}

/** All live calls together: how many, what they cost so far, and what they cost if each lasts until its limit. */
export async function sumLiveCalls({ handle, clock }: Pick<Context, "handle" | "clock">): Promise<LiveSum> {
  const rows = await readLiveRows(handle.db, null, MAX_SHOWN);
  const now = clock.now();
  const sum = { ringing: 0, answered: 0, chargeMicros: 0n, costMicros: 0n, heldMicros: 0n };
  for (const row of rows) {
    const talkMs = talkTime(row, now);
    sum[row.answered_at === null ? "ringing" : "answered"] += 1;
    sum.chargeMicros += chargeSoFar(row, talkMs);
    sum.costMicros += costSoFar(row, talkMs) ?? 0n;
    sum.heldMicros += row.held_micros;
  }
  return sum;
}

/** In micro-dollars. */
interface LiveSum {
  readonly ringing: number;
  readonly answered: number;
  readonly chargeMicros: bigint;
  /** By the decks' costs; calls of unknown cost are left out. */
  readonly costMicros: bigint;
  readonly heldMicros: bigint;
}

function talkTime({ answered_at: answeredAt }: LiveCallRow, now: Date): number {
  return answeredAt === null ? 0 : Math.max(0, now.getTime() - answeredAt.getTime());
}

function chargeSoFar(row: LiveCallRow, talkMs: number): bigint {
  return row.answered_at === null ? 0n : priceOf(row, talkMs).chargeMicros;
}

function presentLiveCall(row: LiveCallRow, { now, mayReadCosts }: { now: Date; mayReadCosts: boolean }): LiveCall {
  const talkMs = talkTime(row, now);
  const chargeMicros = chargeSoFar(row, talkMs);
  const costMicros = mayReadCosts ? costSoFar(row, talkMs) : null;
  return {
    id: row.id,
    customer_id: row.customer_id,
    email: row.email,
    status: row.status,
    since: row.created_at.toISOString(),
    answered_at: row.answered_at?.toISOString() ?? null,
    ends_at: row.ends_at?.toISOString() ?? null,
    destination: row.destination,
    country_code: row.country_code,
    price_class: row.price_class,
    rate_per_minute: rateToDecimalString(row.rate_per_minute_micros),
    first_interval_s: row.first_interval_seconds,
    next_interval_s: row.next_interval_seconds,
    charge: toDecimalString(chargeMicros),
    credit_left: toDecimalString(row.balance_micros - chargeMicros),
    margin: costMicros === null ? null : toDecimalString(chargeMicros - costMicros),
    trunk: row.trunk,
    exchange: exchangeOfControlId(row.parked_call_control_id ?? ""),
    mos: row.mos,
    ending: row.hangup_requested_at !== null,
  };
}

/** By the deck's cost for the number; the trunk's own cost is known at the call's end. */
function costSoFar(row: LiveCallRow, talkMs: number): bigint | null {
  const { cost_per_minute_micros: rate, cost_first_interval_seconds: first, cost_next_interval_seconds: next } = row;
  if (rate === null || first === null || next === null) return null;
  if (row.answered_at === null) return 0n;
  const cost = { ratePerMinuteMicros: rate, firstIntervalSeconds: first, nextIntervalSeconds: next };
  return chargeFor(billedSeconds(Math.ceil(talkMs / 1000), cost), cost);
}
