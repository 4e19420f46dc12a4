import type { HoldBound } from "@farline/domain/calls/decide-call.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../calls.tables.ts";

/** The call's hold grew. The provider still has the limit of `limitSeconds`, until it is told of a longer one. */
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

/** The provider took a longer limit. It only ever grows. A warning given for the old end may be given again. */
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

/** The customer's connected call, if credit could make it longer. */
export async function findExtendableCall(tx: Tx, customerId: string): Promise<CallRow | undefined> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("next_check_at", "is not", null)
    .where("far_call_control_id", "is not", null)
    .where("hangup_requested_at", "is", null)
    .where("extendable", "=", true)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
}
