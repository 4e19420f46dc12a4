import type { RefundReason } from "@farline/contract/call-details.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import type { RuleRefunds } from "./refund-rule.ts";

/** `decided_by` of refunds granted by the rule. */
export const BY_RULE = "rule";

/** Serialises refund requests, so that no refund is granted between counting the rule's limits and granting. */
export async function lockRefunds(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('call_refund', 0))`.execute(tx);
}

/** @returns null if the call already has a request */
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

/** @returns null if the request is not open */
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

/** The automatic refunds that count against the limits for this call. Exact under `lockRefunds`. */
export async function readRuleRefunds(tx: Tx, call: CallRow, since: { span: Date; day: Date }): Promise<RuleRefunds> {
  // The payer's history decides, whichever member of the family asked.
  const isPayers = sql`coalesce(c.payer_id, c.customer_id) = ${call.payer_id ?? call.customer_id}`;
  const { rows } = await sql<Record<"customer" | "customer_micros" | "number" | "prefix_micros" | "all_micros", bigint>>`
    select count(*) filter (where ${isPayers}) as customer,
      coalesce(sum(r.amount_micros) filter (where ${isPayers}), 0)::bigint as customer_micros,
      count(*) filter (where c.destination = ${call.destination}) as number,
      coalesce(sum(r.amount_micros) filter (where r.decided_at > ${since.day} and c.rate_prefix = ${call.rate_prefix}), 0)::bigint
        as prefix_micros,
      coalesce(sum(r.amount_micros) filter (where r.decided_at > ${since.day}), 0)::bigint as all_micros
    from call_refund_request r join call c on c.id = r.call_id
    where r.decided_by = ${sql.lit(BY_RULE)} and r.decided_at > ${since.span}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("The sums of refunds returned no row.");
  return {
    toCustomer: Number(row.customer),
    toCustomerMicros: String(row.customer_micros),
    forNumber: Number(row.number),
    forPrefixMicros: String(row.prefix_micros),
    inAllMicros: String(row.all_micros),
  };
}
