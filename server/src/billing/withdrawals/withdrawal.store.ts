import { sql, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { BillingTables, RefundStatus } from "../record/billing.tables.ts";

export type WithdrawalRow = Selectable<BillingTables["withdrawal"]>;

export async function insertWithdrawal(tx: Tx, row: WithdrawalRow): Promise<void> {
  await tx.insertInto("withdrawal").values(row).execute();
}

export function findWithdrawalByRequestKey(tx: Tx, customerId: string, requestKey: string): Promise<WithdrawalRow | undefined> {
  return tx
    .selectFrom("withdrawal")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("request_key", "=", requestKey)
    .executeTakeFirst();
}

/** Times of the customer's withdrawals since a time, newest first. */
export async function withdrawalTimes(tx: Tx, customerId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom("withdrawal")
    .select("created_at")
    .where("customer_id", "=", customerId)
    .where("created_at", ">", since)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => row.created_at);
}

/** The customer's withdrawals, newest first. @param page.before the last id of the previous page */
export function listWithdrawals(tx: Tx, customerId: string, page: { before?: string; limit: number }): Promise<WithdrawalRow[]> {
  let query = tx.selectFrom("withdrawal").selectAll().where("customer_id", "=", customerId);
  if (page.before !== undefined) query = query.where("id", "<", page.before);
  return query.orderBy("id", "desc").limit(page.limit).execute();
}

export interface WithdrawalPart {
  readonly withdrawal_id: string;
  readonly refund_id: string;
  readonly amount_micros: bigint;
  readonly status: RefundStatus;
  readonly pending_reason: string | null;
  readonly card_brand: string | null;
  readonly card_last4: string | null;
}

/** The refunds of these withdrawals, oldest first. */
export function readWithdrawalParts(tx: Tx, withdrawalIds: readonly string[]): Promise<WithdrawalPart[]> {
  return tx
    .selectFrom("refund")
    .innerJoin("payment", "payment.id", "refund.payment_id")
    .select([
      "refund.withdrawal_id as withdrawal_id",
      "refund.id as refund_id",
      "refund.amount_micros as amount_micros",
      "refund.status as status",
      "refund.pending_reason as pending_reason",
      "payment.card_brand as card_brand",
      "payment.card_last4 as card_last4",
    ])
    .where("refund.withdrawal_id", "in", withdrawalIds.length === 0 ? [NO_ID] : [...withdrawalIds])
    .$narrowType<{ withdrawal_id: string }>()
    .orderBy("refund.id")
    .execute();
}

const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Runs the work in a transaction and undoes its changes, which also releases its locks. @returns the work's result */
export async function undone<Result>(tx: Transaction, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint before_work`.execute(tx);
  const result = await work();
  await sql`rollback to savepoint before_work`.execute(tx);
  return result;
}
