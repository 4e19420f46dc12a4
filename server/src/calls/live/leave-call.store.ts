import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../calls.tables.ts";

/** Notes that the page has left the call; of a page that has left before, and of a call that ends anyway, nothing. */
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

/** Another page than the one that left is there. What page left stays noted: its beacon may come twice. */
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
 * Takes calls whose page has not come back in time, marked as calls to be hung up: from then on the sweeper sees to it
 * that they are, whatever becomes of who took them.
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
