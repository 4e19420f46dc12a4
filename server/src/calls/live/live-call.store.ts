import { sql } from "kysely";
import type { HoldBound } from "@farline/domain/calls/decide-call.ts";
import type { Tx } from "../../platform/database/database.ts";
import { payerOf, isPaidBy } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { CutCause } from "../events/derive-outcome.ts";

/** Far more than the rules allow at once. */
const MAX_CONNECTED = 50;
/** Far more than the rules allow at once. */
const MAX_EXTENDABLE = 50;

/** Running calls that the service must end and that are not being ended yet. */
export async function findCallsToCut(tx: Tx, limit: number): Promise<(CallRow & { because: CutCause })[]> {
  const { rows } = await sql<CallRow & { because: CutCause }>`
    select call.*, case when people.frozen then 'account_frozen' when account.debt_micros > 0 then 'credit_owed'
      when has_session_ended(call.caller_session_id) then 'session_ended' else 'access_ended' end as because
    from call
    join account on account.customer_id = ${payerOf}
    cross join lateral (
      select bool_or(c.status = 'frozen') as frozen, bool_or(c.password_reset_at > call.created_at) as reset
      from customer c where c.id in (call.customer_id, ${payerOf})
    ) people
    where call.ended_at is null and call.hangup_requested_at is null
      and (people.frozen or people.reset or account.debt_micros > 0 or has_session_ended(call.caller_session_id))
    limit ${limit}`.execute(tx);
  return rows;
}

/** Whether a call that the customer makes or pays, and that began before `at`, is still live. */
export async function hasOlderCall(tx: Tx, customerId: string, at: Date): Promise<boolean> {
  const call = await tx
    .selectFrom("call")
    .select("id")
    .where((eb) => eb.or([eb("customer_id", "=", customerId), eb("payer_id", "=", customerId)]))
    .where("ended_at", "is", null)
    .where("created_at", "<", at)
    .limit(1)
    .executeTakeFirst();
  return call !== undefined;
}

/** Claims calls past their own limit, for which the provider has a longer one, by requesting their hang-up. */
export async function claimCallsToEnd(tx: Tx, now: Date, limit: number): Promise<CallRow[]> {
  return tx
    .updateTable("call")
    .set({ hangup_requested_at: now, next_check_at: now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("call")
        .select("id")
        .where("ended_at", "is", null)
        .where("ends_at", "<=", now)
        .where("hangup_requested_at", "is", null)
        .where(sql<boolean>`answered_at + make_interval(secs => provider_seconds) > ends_at`)
        .orderBy("ends_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/**
 * Claims running calls that end within `seconds` and have not been warned, by marking them as warned.
 */
export async function claimCallsToWarn(tx: Tx, now: Date, seconds: 60 | 15): Promise<{ id: string; customer_id: string }[]> {
  return tx
    .updateTable("call")
    .set({ warned_seconds: seconds })
    .where("ended_at", "is", null)
    .where("ends_at", ">", now)
    .where("ends_at", "<=", new Date(now.getTime() + seconds * 1000))
    .where((eb) => eb.or([eb("warned_seconds", "is", null), eb("warned_seconds", ">", seconds)]))
    .returning(["id", "customer_id"])
    .execute();
}

/** Saves a larger hold. The limit stays `limitSeconds` until the provider accepts a longer one. */
export async function saveGrownHold(
  tx: Tx,
  callId: string,
  by: { heldMicros: bigint; boundedBy: HoldBound; limitSeconds: number },
): Promise<CallRow> {
  return tx
    .updateTable("call")
    .set({
      held_micros: by.heldMicros,
      bounded_by: by.boundedBy,
      limit_seconds: sql<number>`coalesce(limit_seconds, ${by.limitSeconds})`,
    })
    .where("id", "=", callId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Saves a longer limit that the provider accepted; limits never shrink. Resets the warnings for the new end. */
export async function raiseLimit(tx: Tx, callId: string, seconds: number): Promise<CallRow> {
  return tx
    .updateTable("call")
    .set({
      limit_seconds: sql<number>`greatest(limit_seconds, ${seconds})`,
      ends_at: sql<Date | null>`answered_at + make_interval(secs => greatest(limit_seconds, ${seconds}))`,
      warned_seconds: null,
    })
    .where("id", "=", callId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function markNotExtendable(tx: Tx, callId: string): Promise<CallRow> {
  return tx.updateTable("call").set({ extendable: false }).where("id", "=", callId).returningAll().executeTakeFirstOrThrow();
}

/** The connected calls that the customer pays and more credit could extend, oldest first. */
export async function findExtendableCalls(tx: Tx, customerId: string): Promise<CallRow[]> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where(isPaidBy(customerId))
    .where("ended_at", "is", null)
    .where("far_call_control_id", "is not", null)
    .where("hangup_requested_at", "is", null)
    .where("extendable", "=", true)
    .orderBy("created_at")
    .limit(MAX_EXTENDABLE)
    .execute();
}

/** Marks the call as left by a page, unless that page already left or the call is ending. */
export async function markLeft(tx: Tx, left: { callId: string; page: string; hangUpAt: Date }): Promise<void> {
  await tx
    .updateTable("call")
    .set({ hang_up_at: left.hangUpAt, left_page: left.page })
    .where("id", "=", left.callId)
    .where("ended_at", "is", null)
    .where("hangup_requested_at", "is", null)
    .where((eb) => eb.or([eb("left_page", "is", null), eb("left_page", "<>", left.page)]))
    .execute();
}

/** Marks the call as joined by another page. Keeps the id of the page that left, because its beacon may arrive twice. */
export async function markBack(tx: Tx, back: { callId: string; page: string }): Promise<void> {
  await tx
    .updateTable("call")
    .set({ hang_up_at: null })
    .where("id", "=", back.callId)
    .where("hang_up_at", "is not", null)
    .where("left_page", "<>", back.page)
    .execute();
}

/**
 * Claims calls whose page did not return in time, by requesting their hang-up, so that the sweeper ends them even if the
 * claiming process dies.
 */
export async function claimLeftCalls(tx: Tx, now: Date, nextCheckAt: Date, limit: number): Promise<CallRow[]> {
  return tx
    .updateTable("call")
    .set({ hang_up_at: null, hangup_requested_at: sql`coalesce(hangup_requested_at, ${now})`, next_check_at: nextCheckAt })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("call")
        .select("id")
        .where("hang_up_at", "<=", now)
        .where("ended_at", "is", null)
        .orderBy("hang_up_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/** The live calls that the customer pays and that were answered. */
export async function findConnectedCalls(tx: Tx, customerId: string): Promise<CallRow[]> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where(isPaidBy(customerId))
    .where("ended_at", "is", null)
    .where("answered_at", "is not", null)
    .limit(MAX_CONNECTED)
    .execute();
}
