import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Marks the call as left by a page, unless that page already left or the call is ending. */
export async function markLeft(tx: Tx, left: { callId: string; page: string; hangUpAt: Date }): Promise<void> {
  await tx
    .updateTable("call")
    .set({ hang_up_at: left.hangUpAt, left_page: left.page })
    .where("id", "=", left.callId)
    .where("next_check_at", "is not", null)
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
        .where("next_check_at", "is not", null)
        .orderBy("hang_up_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}
