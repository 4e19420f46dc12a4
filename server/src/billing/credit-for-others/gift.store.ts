import { DAY_MS } from "@farline/domain/durations.ts";
import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { BillingTables } from "../record/billing.tables.ts";
import { fromCents } from "../record/cents.ts";

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

/** Less cannot go to a card. */
const CENT = fromCents(1);

/**
 * Payments of guests of which a part is the guest's own credit since a time: it could not be given, or a bank returned it after it was taken
 * back from the receiver. Where a refund failed, an operator decides; so too while the guest is locked.
 */
export async function findGuestsToRepay(
  tx: Tx,
  since: Date,
  limit: number,
): Promise<{ payerId: string; paymentId: string; giftId: string }[]> {
  const { rows } = await sql<{ payerId: string; paymentId: string; giftId: string }>`
    select g.payer_id as "payerId", g.payment_id as "paymentId", g.id as "giftId" from (
      select * from credit_gift where state = 'kept' and decided_at > ${since}
      union
      select gift.* from dispute d join credit_gift gift on gift.payment_id = d.payment_id
      where gift.state = 'given' and d.updated_at > ${since}
    ) g join customer c on c.id = g.payer_id join account a on a.customer_id = g.payer_id join payment p on p.id = g.payment_id
    cross join lateral payment_left(array[p.id]) l
    where c.is_guest and c.status = 'active' and a.balance_micros >= ${CENT} and not p.return_failed and l.returnable_micros >= l.given_micros + ${CENT}
    order by g.decided_at limit ${limit}`.execute(tx);
  return rows;
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

/** Which of these payments were made for somebody else. */
export async function giftPaymentsAmong(tx: Tx, paymentIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (paymentIds.length === 0) return new Set();
  const rows = await tx.selectFrom("credit_gift").select("payment_id").where("payment_id", "in", paymentIds).execute();
  return new Set(rows.map((row) => row.payment_id));
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

/** A gift with the other side's name, and what a refund or a bank took back of it. */
export type NamedGift = CreditGift & { readonly other_name: string; readonly returned_micros: bigint };

/** The customer's latest gifts that moved or may still move, newest first. What a guest paid in vain, the receiver sees too. */
export async function readGifts(tx: Tx, customerId: string, limit: number): Promise<NamedGift[]> {
  const { rows } = await sql<NamedGift>`
    select g.*, other.name as other_name, gift_returned(g.id, g.beneficiary_id) as returned_micros from (
      (select * from credit_gift where payer_id = ${customerId} order by created_at desc limit ${limit})
      union all
      (select gift.* from credit_gift gift join customer payer on payer.id = gift.payer_id
        where gift.beneficiary_id = ${customerId} and (gift.state in ('given', 'held') or gift.state = 'kept' and payer.is_guest)
        order by gift.created_at desc limit ${limit})
    ) g join customer other on other.id = case when g.payer_id = ${customerId} then g.beneficiary_id else g.payer_id end
    order by g.created_at desc limit ${limit}`.execute(tx);
  return rows;
}
