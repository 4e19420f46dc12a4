import type { RefundReason } from "@farline/contract/call-details.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database.ts";
import type { RefundRequestRow } from "./details.tables.ts";

/** Waits until no other request of this customer is being decided. */
export async function lockRefundsOf(tx: Tx, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`call_refund:${customerId}`}, 0))`.execute(tx);
}

/** Null when there is one for this call already. */
export async function insertRefundRequest(
  tx: Tx,
  r: { callId: string; customerId: string; reason: RefundReason; note: string; evidence: object; createdAt: Date },
): Promise<RefundRequestRow | null> {
  const row = await tx
    .insertInto("call_refund_request")
    .values({
      call_id: r.callId,
      customer_id: r.customerId,
      reason: r.reason,
      note: r.note,
      evidence: JSON.stringify(r.evidence),
      created_at: r.createdAt,
    })
    .onConflict((conflict) => conflict.column("call_id").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Only while it is open: what was decided stays. */
export async function decideRefundRequest(
  tx: Tx,
  callId: string,
  d: { state: "refunded" | "declined"; amountMicros: bigint; decidedBy: string; answer: string | null; decidedAt: Date },
): Promise<RefundRequestRow | null> {
  const row = await tx
    .updateTable("call_refund_request")
    .set({
      state: d.state,
      amount_micros: d.amountMicros,
      decided_by: d.decidedBy,
      answer: d.answer,
      decided_at: d.decidedAt,
    })
    .where("call_id", "=", callId)
    .where("state", "=", "open")
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function findRefundRequest(tx: Tx, callId: string): Promise<RefundRequestRow | null> {
  const row = await tx.selectFrom("call_refund_request").selectAll().where("call_id", "=", callId).executeTakeFirst();
  return row ?? null;
}

/** How many of the customer's requests were decided so since then. */
export async function countDecided(tx: Tx, customerId: string, { by, since }: { by: string; since: Date }): Promise<number> {
  const row = await tx
    .selectFrom("call_refund_request")
    .select(sql<bigint>`count(*)`.as("requests"))
    .where("customer_id", "=", customerId)
    .where("created_at", ">=", since)
    .where("state", "=", "refunded")
    .where("decided_by", "=", by)
    .executeTakeFirstOrThrow();
  return Number(row.requests);
}

/** The open ones of everybody, the oldest first. */
export async function listOpenRefundRequests(tx: Tx, limit: number): Promise<RefundRequestRow[]> {
  return tx
    .selectFrom("call_refund_request")
    .selectAll()
    .where("state", "=", "open")
    .orderBy("created_at")
    .limit(limit)
    .execute();
}
