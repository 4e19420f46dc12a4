import { DRAMA_NUMBERS_PREFIX, SHORT_CALL_MS } from "@farline/domain/calls/call-limits.ts";
import type { CallerCounters, ProposedCall } from "@farline/domain/calls/decide-call.ts";
import { columnOf, guardRailsBy, type GuardRails } from "@farline/domain/calls/guard-rails.ts";
import type { Insertable } from "kysely";
import type { LockMode, Transaction, Tx } from "../../platform/database/database.ts";
import { readFunction } from "../../platform/database/prepared.ts";
import type { CallTables } from "../record/calls.tables.ts";

/** The customer and call to read counters for. */
export interface CallerQuery {
  readonly customerId: string;
  /** The family's owner whose credit pays; null if it is the caller's own. */
  readonly payerId: string | null;
  readonly proposed: Pick<ProposedCall, "at" | "destination" | "countryCode" | "limits">;
  readonly idempotencyKey: string | null;
  /** A running call to leave out of the counts, or null. */
  readonly excludedCallId: string | null;
}

export interface Caller {
  readonly counters: CallerCounters;
  /** An earlier call with this idempotency key. */
  readonly knownCallId: string | null;
}

interface CallerRow {
  customer_id: string;
  balance_micros: bigint;
  held_micros: bigint;
  debt_micros: bigint;
  bonus_micros: bigint;
  grant_left_micros: bigint;
  known_call_id: string | null;
  live_calls: bigint;
  payer_live_calls: bigint;
  begun_at: number[];
  block_rule: string | null;
  blocked_until: Date | null;
  same_number: bigint;
  near_numbers: bigint;
  short_calls: bigint;
  other_numbers: bigint;
  other_countries: bigint;
  spent_micros: bigint;
  spent_above_a_micros: bigint;
  spent_above_b_micros: bigint;
  /** A row of `guard_rail`, whose amounts are far below the largest exact number. */
  own_limits: Readonly<Record<string, string[] | number | null>> | null;
  spent_today_micros: bigint;
  in_family: boolean;
  family_daily_cap_micros: bigint | null;
  family_today_micros: bigint;
  family_monthly_cap_micros: bigint | null;
  family_month_micros: bigint;
  family_countries: string[] | null;
}

/** Locks the accounts of the callers and their payers until the transaction ends, then reads their counters. Keyed by customer. */
export function lockCallers(tx: Transaction, callers: readonly CallerQuery[], lock: LockMode): Promise<Map<string, Caller>> {
  return query(tx, callers, lock);
}

/** Like `lockCallers`, but without a lock: the counters may change at any time. */
export async function readCaller(db: Tx, caller: CallerQuery): Promise<Caller> {
  return only(await query(db, [caller], "none"), caller);
}

export async function lockCaller(tx: Transaction, caller: CallerQuery): Promise<Caller> {
  return only(await query(tx, [caller], "wait"), caller);
}

function only(callers: Map<string, Caller>, { customerId }: CallerQuery): Caller {
  const caller = callers.get(customerId);
  if (caller === undefined) throw new Error(`Customer ${customerId} has no account.`);
  return caller;
}

async function query(tx: Tx, callers: readonly CallerQuery[], lock: LockMode | "none"): Promise<Map<string, Caller>> {
  const queries = JSON.stringify(
    callers.map(({ customerId, payerId, proposed, idempotencyKey, excludedCallId }) => ({
      customer_id: customerId,
      payer_id: payerId ?? customerId,
      at: proposed.at,
      destination: proposed.destination,
      country_code: proposed.countryCode,
      most_begun: proposed.limits?.callsPerDay ?? 0,
      short_call_ms: SHORT_CALL_MS,
      drama_prefix: DRAMA_NUMBERS_PREFIX,
      idempotency_key: idempotencyKey,
      without: excludedCallId,
    })),
  );
  const rows = await readFunction<CallerRow>(tx, "read_caller_counters", { callers: queries, lock });
  return new Map(rows.map((row) => [row.customer_id, toCaller(row)]));
}

function toCaller(row: CallerRow): Caller {
  const { block_rule: rule, blocked_until: until } = row;
  return {
    knownCallId: row.known_call_id,
    counters: {
      balanceMicros: row.balance_micros,
      heldMicros: row.held_micros,
      debtMicros: row.debt_micros,
      bonusMicros: row.bonus_micros,
      grantLeftMicros: row.grant_left_micros,
      liveCalls: Number(row.live_calls),
      payerLiveCalls: Number(row.payer_live_calls),
      startedAtMs: row.begun_at.map((seconds) => seconds * 1000),
      block: rule === null || until === null ? null : { rule, until },
      sameNumberInHour: Number(row.same_number),
      nearNumbersInHour: Number(row.near_numbers),
      shortCallsInHour: Number(row.short_calls),
      otherNumbersInDay: Number(row.other_numbers),
      otherCountriesInDay: Number(row.other_countries),
      spentInDayMicros: row.spent_micros,
      spentAboveClassAMicros: row.spent_above_a_micros,
      spentAboveClassBMicros: row.spent_above_b_micros,
      ownLimits: row.own_limits && { ...toGuardRails(row.own_limits), spentTodayMicros: row.spent_today_micros },
      family: row.in_family
        ? {
            dailyCapMicros: row.family_daily_cap_micros,
            spentTodayMicros: row.family_today_micros,
            monthlyCapMicros: row.family_monthly_cap_micros,
            spentThisMonthMicros: row.family_month_micros,
            countries: row.family_countries,
          }
        : null,
    },
  };
}

function toGuardRails(row: NonNullable<CallerRow["own_limits"]>): GuardRails {
  return guardRailsBy((name) => {
    const value = row[columnOf(name)];
    if (value === undefined) throw new Error(`The row of a customer's limits lacks ${name}.`);
    return typeof value === "number" ? BigInt(value) : value;
  });
}

/** Blocks an account's calls until `blocked_until`. Read by `read_caller_counters`. */
export async function insertBlock(tx: Tx, block: Insertable<CallTables["call_block"]>): Promise<void> {
  await tx.insertInto("call_block").values(block).execute();
}
