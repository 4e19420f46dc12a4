import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { payerOf } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { CutCause } from "../events/derive-outcome.ts";

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
    where call.next_check_at is not null and call.hangup_requested_at is null
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
    .where("next_check_at", "is not", null)
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
        .where("next_check_at", "is not", null)
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
    .where("next_check_at", "is not", null)
    .where("ends_at", ">", now)
    .where("ends_at", "<=", new Date(now.getTime() + seconds * 1000))
    .where((eb) => eb.or([eb("warned_seconds", "is", null), eb("warned_seconds", ">", seconds)]))
    .returning(["id", "customer_id"])
    .execute();
}
