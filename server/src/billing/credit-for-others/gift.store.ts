import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type CreditRequest = Selectable<BillingTables["credit_request"]>;
export type CreditGift = Selectable<BillingTables["credit_gift"]>;

/** The customer's links that still work, newest first. */
export function readCreditRequests(tx: Tx, customerId: string, now: Date): Promise<CreditRequest[]> {
  return tx
    .selectFrom("credit_request")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .execute();
}

export async function insertCreditRequest(tx: Tx, request: Insertable<BillingTables["credit_request"]>): Promise<void> {
  await tx.insertInto("credit_request").values(request).execute();
}

/** @returns whether the customer had such a link */
export async function deleteCreditRequest(tx: Tx, customerId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("credit_request")
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Ends all links that ask for credit, of all customers. */
export async function deleteAllCreditRequests(tx: Transaction): Promise<void> {
  await tx.deleteFrom("credit_request").execute();
}

export async function deleteExpiredRequests(tx: Tx, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(tx, signal, { from: "credit_request", where: sql`expires_at <= ${now}` });
}

/** The owner of a link; undefined if the link no longer works or the account cannot receive credit. */
export function findAsker(tx: Tx, requestId: string, now: Date): Promise<{ id: string; name: string } | undefined> {
  return tx
    .selectFrom("credit_request as request")
    .innerJoin("customer", "customer.id", "request.customer_id")
    .select(["customer.id", "customer.name"])
    .where("request.id", "=", requestId)
    .where("request.expires_at", ">", now)
    .where("customer.status", "=", "active")
    .where("customer.closes_at", "is", null)
    .executeTakeFirst();
}

export async function insertGift(tx: Tx, gift: Insertable<BillingTables["credit_gift"]>): Promise<void> {
  await tx.insertInto("credit_gift").values(gift).execute();
}

export function findGiftOfPayment(tx: Tx, paymentId: string): Promise<CreditGift | undefined> {
  return tx.selectFrom("credit_gift").selectAll().where("payment_id", "=", paymentId).executeTakeFirst();
}

/** What a payment bought for somebody else, with their name; undefined for a payment of one's own. */
export function findNamedGift(tx: Tx, paymentId: string): Promise<Pick<NamedGift, "state" | "other_name"> | undefined> {
  return tx
    .selectFrom("credit_gift as gift")
    .innerJoin("customer", "customer.id", "gift.beneficiary_id")
    .select(["gift.state", "customer.name as other_name"])
    .where("gift.payment_id", "=", paymentId)
    .executeTakeFirst();
}

export async function decideGift(tx: Tx, id: string, state: "given" | "kept", now: Date): Promise<void> {
  await tx.updateTable("credit_gift").set({ state, decided_at: now }).where("id", "=", id).execute();
}

/** Counts a payer's orders of gifts since a time, and the people other than one that they were for. Abandoned ones count too. */
export async function countGiftsSince(
  tx: Tx,
  { payerId, since, exceptFor = payerId }: { readonly payerId: string; readonly since: Date; readonly exceptFor?: string },
): Promise<{ gifts: number; others: number }> {
  return tx
    .selectFrom("credit_gift")
    .select((eb) => [
      eb.cast<number>(eb.fn.countAll(), "integer").as("gifts"),
      eb
        .cast<number>(eb.fn.count("beneficiary_id").distinct().filterWhere("beneficiary_id", "<>", exceptFor), "integer")
        .as("others"),
    ])
    .where("payer_id", "=", payerId)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
}

/** A gift with the other side's name. */
export type NamedGift = CreditGift & { readonly other_name: string };

/** The customer's latest gifts that moved or may still move, newest first. */
export async function readGifts(tx: Tx, customerId: string, limit: number): Promise<NamedGift[]> {
  const { rows } = await sql<NamedGift>`
    select g.*, other.name as other_name from (
      (select * from credit_gift where payer_id = ${customerId} order by created_at desc limit ${limit})
      union all
      (select * from credit_gift where beneficiary_id = ${customerId} and state = 'given' order by created_at desc limit ${limit})
    ) g join customer other on other.id = case when g.payer_id = ${customerId} then g.beneficiary_id else g.payer_id end
    order by g.created_at desc limit ${limit}`.execute(tx);
  return rows;
}
