import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { BillingTables, RefundStatus } from "../record/billing.tables.ts";

export type Refund = Selectable<BillingTables["refund"]>;
type NewRefund = Insertable<BillingTables["refund"]>;

export function insertRefund(tx: Tx, refund: NewRefund): Promise<Refund> {
  return tx.insertInto("refund").values(refund).returningAll().executeTakeFirstOrThrow();
}

export function readRefund(tx: Tx, refundId: string): Promise<Refund | undefined> {
  return tx.selectFrom("refund").selectAll().where("id", "=", refundId).executeTakeFirst();
}

/**
 * Writes the withdrawal of a refund again that a restored database has forgotten. A withdrawal may be returned by several refunds: its
 * amount is their sum.
 */
export async function recoverWithdrawal(
  tx: Transaction,
  refund: { id: string; customerId: string; amountMicros: bigint; now: Date },
): Promise<void> {
  await tx
    .insertInto("withdrawal")
    .values({
      id: refund.id,
      customer_id: refund.customerId,
      amount_micros: refund.amountMicros,
      request_key: null,
      created_at: refund.now,
    })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((eb) => ({ amount_micros: eb("withdrawal.amount_micros", "+", refund.amountMicros) })),
    )
    .execute();
}

/** Makes every refund that may have been sent since a back-up look like a repetition, which asks the provider for it first. */
export async function checkRefundsBeforeSending(tx: Transaction): Promise<void> {
  await tx.updateTable("refund").set({ tries: 1 }).where("status", "=", "ordered").where("tries", "=", 0).execute();
}

/** Whether a refund with this provider id exists. */
export async function isKnownAtProvider(tx: Tx, providerRefundId: string): Promise<boolean> {
  const found = await tx.selectFrom("refund").select("id").where("provider_refund_id", "=", providerRefundId).executeTakeFirst();
  return found !== undefined;
}

/** The payment's refund with this provider id or, if it has none yet, with our id. */
export function findRefund(
  tx: Tx,
  claim: { paymentId: string; providerRefundId: string; orderId: string | null },
): Promise<Refund | undefined> {
  return tx
    .selectFrom("refund")
    .selectAll()
    .where("payment_id", "=", claim.paymentId)
    .where((eb) =>
      eb.or([
        eb("provider_refund_id", "=", claim.providerRefundId),
        ...(claim.orderId === null ? [] : [eb.and([eb("id", "=", claim.orderId), eb("provider_refund_id", "is", null)])]),
      ]),
    )
    .orderBy("provider_refund_id", (order) => order.asc().nullsLast())
    .limit(1)
    .executeTakeFirst();
}

export async function saveRefund(
  tx: Tx,
  refundId: string,
  change: {
    status: RefundStatus;
    providerRefundId: string | null;
    failure: string | null;
    pendingReason: string | null;
    nextTryAt: Date | null;
    settledAt: Date | null;
  },
): Promise<void> {
  await tx
    .updateTable("refund")
    .set({
      status: change.status,
      provider_refund_id: change.providerRefundId,
      failure: change.failure,
      pending_reason: change.pendingReason,
      next_try_at: change.nextTryAt,
      settled_at: change.settledAt,
    })
    .where("id", "=", refundId)
    .execute();
}

export async function savePendingReason(tx: Tx, refundId: string, reason: string | null): Promise<void> {
  await tx.updateTable("refund").set({ pending_reason: reason }).where("id", "=", refundId).execute();
}

/**
 * Claims due refunds by rescheduling each, so that one claimed by a process that crashed becomes due again.
 * @param claim.delaysSeconds delay after the first, second … attempt
 */
export async function claimDueRefunds(
  tx: Tx,
  claim: { now: Date; limit: number; delaysSeconds: readonly number[] },
): Promise<Refund[]> {
  const { rows } = await sql<Refund>`
    update refund set
      tries = tries + 1,
      next_try_at = ${claim.now}::timestamptz + make_interval(secs =>
        (${claim.delaysSeconds}::int[])[least(tries + 1, ${claim.delaysSeconds.length}::int)])
    where id in (
      select id from refund where next_try_at <= ${claim.now} order by next_try_at limit ${claim.limit} for update skip locked)
    returning *`.execute(tx);
  return rows;
}
