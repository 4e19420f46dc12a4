import { DAY_MS } from "@farline/domain/durations.ts";
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
export function findAsker(
  tx: Tx,
  requestId: string,
  now: Date,
): Promise<({ id: string; name: string } & Pick<CreditRequest, "amount_micros" | "note" | "country_code">) | undefined> {
  return tx
    .selectFrom("credit_request as request")
    .innerJoin("customer", "customer.id", "request.customer_id")
    .select(["customer.id", "customer.name", "request.amount_micros", "request.note", "request.country_code"])
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
export function findNamedGift(
  tx: Tx,
  paymentId: string,
): Promise<Pick<NamedGift, "state" | "due_at" | "other_name"> | undefined> {
  return tx
    .selectFrom("credit_gift as gift")
    .innerJoin("customer", "customer.id", "gift.beneficiary_id")
    .select(["gift.state", "gift.due_at", "customer.name as other_name"])
    .where("gift.payment_id", "=", paymentId)
    .executeTakeFirst();
}

/** Keeps the credit of a payment back until a time. */
export async function holdGift(tx: Tx, id: string, dueAt: Date): Promise<void> {
  await tx.updateTable("credit_gift").set({ state: "held", due_at: dueAt }).where("id", "=", id).execute();
}

/** Gifts whose credit is due, oldest first. */
export function findDueGifts(tx: Tx, now: Date, limit: number): Promise<CreditGift[]> {
  return tx
    .selectFrom("credit_gift")
    .selectAll()
    .where("state", "=", "held")
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
}

/** Guests who still have the credit of a payment decided since a time, because the person it was for could not get it. */
export async function findGuestsToRepay(tx: Tx, since: Date, limit: number): Promise<{ payerId: string; giftId: string }[]> {
  return tx
    .selectFrom("credit_gift as gift")
    .innerJoin("customer", "customer.id", "gift.payer_id")
    .innerJoin("account", "account.customer_id", "gift.payer_id")
    .select(["gift.payer_id as payerId", "gift.id as giftId"])
    .where("gift.state", "=", "kept")
    .where("gift.decided_at", ">", since)
    .where("customer.is_guest", "=", true)
    .where("customer.status", "=", "active")
    .where("account.balance_micros", ">", 0n)
    .orderBy("gift.decided_at")
    .limit(limit)
    .execute();
}

/** What guests ordered for one customer, or paid, in the last day and in the last 30 days, and how many other guests paid in a week. */
export async function readGuestGifts(
  tx: Tx,
  beneficiaryId: string,
  now: Date,
  exceptPayer: string | null = null,
): Promise<{ dayMicros: bigint; monthMicros: bigint; otherGuests: number }> {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { rows } = await sql<{ dayMicros: bigint; monthMicros: bigint; otherGuests: number }>`
    select coalesce(sum(g.amount_micros) filter (where g.created_at > ${ago(1)}), 0)::bigint as "dayMicros",
      coalesce(sum(g.amount_micros), 0)::bigint as "monthMicros",
      (count(distinct g.payer_id) filter (where g.created_at > ${ago(7)} and p.status = 'paid' and g.payer_id is distinct from ${exceptPayer}::uuid))::integer
        as "otherGuests"
    from credit_gift g join customer c on c.id = g.payer_id and c.is_guest join payment p on p.id = g.payment_id
    where g.beneficiary_id = ${beneficiaryId} and g.created_at > ${ago(30)} and p.status not in ('failed', 'expired')`.execute(
    tx,
  );
  return rows[0] as { dayMicros: bigint; monthMicros: bigint; otherGuests: number };
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
      (select * from credit_gift where beneficiary_id = ${customerId} and state in ('given', 'held') order by created_at desc limit ${limit})
    ) g join customer other on other.id = case when g.payer_id = ${customerId} then g.beneficiary_id else g.payer_id end
    order by g.created_at desc limit ${limit}`.execute(tx);
  return rows;
}
