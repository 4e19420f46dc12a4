import type { HoldBound } from "@farline/domain/calls/decide-call.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { isPaidBy } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";

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

/** Far more than the rules allow at once. */
const MAX_EXTENDABLE = 50;

/** The connected calls that the customer pays and more credit could extend, oldest first. */
export async function findExtendableCalls(tx: Tx, customerId: string): Promise<CallRow[]> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where(isPaidBy(customerId))
    .where("next_check_at", "is not", null)
    .where("far_call_control_id", "is not", null)
    .where("hangup_requested_at", "is", null)
    .where("extendable", "=", true)
    .orderBy("created_at")
    .limit(MAX_EXTENDABLE)
    .execute();
}
