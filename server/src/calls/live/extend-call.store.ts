import { sql } from "kysely";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../calls.tables.ts";

/** Migration 062, `extend_call`: the hold grows as far as credit and bounds allow. Answers the call as it is then. */
export async function growHold(
  db: Database,
  callId: string,
  by: { wantMicros: bigint; limitSeconds: number; now: Date; rules: Record<string, number | string> | null },
): Promise<CallRow> {
  const rules = by.rules === null ? null : JSON.stringify(by.rules);
  const { rows } = await sql<CallRow>`
    select * from extend_call(${callId}, ${by.wantMicros}, ${by.limitSeconds}, ${by.now}, ${rules}::jsonb)`.execute(db);
  const [call] = rows;
  if (call === undefined) throw new Error("There is no such call to extend.");
  return call;
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
