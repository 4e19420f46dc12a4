import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** The customer's sessions with a running call. */
export async function findSessionsInCall(tx: Tx, customerId: string): Promise<ReadonlySet<string>> {
  const calls = await tx
    .selectFrom("call")
    .select("caller_session_id")
    .where("customer_id", "=", customerId)
    .where("ended_at", "is", null)
    .where("caller_session_id", "is not", null)
    .execute();
  return new Set(calls.map(({ caller_session_id: id }) => id).filter((id) => id !== null));
}

/** From now on the call belongs to this session. */
export async function giveCallTo(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.updateTable("call").set({ caller_session_id: sessionId }).where("id", "=", id).execute();
}

/** Whether a session's calls must end (see `has_session_ended`). */
export async function hasSessionEnded(tx: Tx, sessionId: string): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`select has_session_ended(${sessionId}) as ended`.execute(tx);
  return rows[0]?.ended === true;
}
