import { sql, type Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Payment } from "../record/payment.store.ts";
import type { AutoTopUpTables } from "../record/billing.tables.ts";

export type AutoTopUp = Selectable<AutoTopUpTables["auto_top_up"]>;

/** Charges read per day; the rules allow far fewer. */
const MAX_CHARGES = 100;

export function readAutoTopUp(tx: Tx, customerId: string): Promise<AutoTopUp | undefined> {
  return tx.selectFrom("auto_top_up").selectAll().where("customer_id", "=", customerId).executeTakeFirst();
}

/** Switches automatic top-up on with these settings and clears an earlier stop. */
export async function switchOn(
  tx: Tx,
  chosen: { customerId: string; cardId: string; thresholdMicros: bigint; amountMicros: bigint; now: Date },
): Promise<void> {
  const values = {
    is_on: true,
    card_id: chosen.cardId,
    threshold_micros: chosen.thresholdMicros,
    amount_micros: chosen.amountMicros,
    agreed_at: chosen.now,
    failures: 0,
    stopped_reason: null,
    updated_at: chosen.now,
  };
  await tx
    .insertInto("auto_top_up")
    .values({ customer_id: chosen.customerId, ...values })
    .onConflict((conflict) => conflict.column("customer_id").doUpdateSet(values))
    .execute();
}

/** The automatic top-up charges another copy of the same card; only its owner restarts one that has stopped. */
export async function moveToCard(tx: Tx, cards: { customerId: string; from: string; to: string }): Promise<void> {
  await tx
    .updateTable("auto_top_up")
    .set({ card_id: cards.to })
    .where("customer_id", "=", cards.customerId)
    .where("card_id", "=", cards.from)
    .execute();
}

/** @param change.cardId switch off only if it charges this card @returns whether it was on */
export async function switchOff(tx: Tx, change: { customerId: string; cardId?: string; now: Date }): Promise<boolean> {
  let query = tx
    .updateTable("auto_top_up")
    .set({ is_on: false, stopped_reason: null, failures: 0, updated_at: change.now })
    .where("customer_id", "=", change.customerId)
    .where("is_on", "=", true);
  if (change.cardId !== undefined) query = query.where("card_id", "=", change.cardId);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function clearFailures(tx: Tx, customerId: string): Promise<void> {
  await tx
    .updateTable("auto_top_up")
    .set({ failures: 0 })
    .where("customer_id", "=", customerId)
    .where("failures", ">", 0)
    .execute();
}

/** Counts a consecutive failed charge. @returns the count; undefined if it was switched off */
export async function countFailure(tx: Tx, customerId: string, now: Date): Promise<number | undefined> {
  const row = await tx
    .updateTable("auto_top_up")
    .set((eb) => ({ failures: eb("failures", "+", 1), updated_at: now }))
    .where("customer_id", "=", customerId)
    .where("is_on", "=", true)
    .returning("failures")
    .executeTakeFirst();
  return row?.failures;
}

export async function stopAutoTopUp(tx: Tx, customerId: string, reason: NonNullable<AutoTopUp["stopped_reason"]>): Promise<void> {
  await tx
    .updateTable("auto_top_up")
    .set({ stopped_reason: reason })
    .where("customer_id", "=", customerId)
    .where("is_on", "=", true)
    .execute();
}

/** The customer's automatic charges since a time, newest first. */
export function chargesSince(tx: Tx, customerId: string, since: Date): Promise<Payment[]> {
  return charges(tx, customerId).where("created_at", ">", since).limit(MAX_CHARGES).execute();
}

/** Whether an automatic charge of any age may still be paid or awaits review. */
export async function hasUndecidedCharge(tx: Tx, customerId: string): Promise<boolean> {
  const undecided = await tx
    .selectFrom("payment")
    .select("id")
    .where("customer_id", "=", customerId)
    .where("kind", "=", "auto")
    .where("status", "in", ["created", "open", "review"])
    .limit(1)
    .executeTakeFirst();
  return undecided !== undefined;
}

export function newestCharge(tx: Tx, customerId: string): Promise<Payment | undefined> {
  return charges(tx, customerId).limit(1).executeTakeFirst();
}

function charges(tx: Tx, customerId: string) {
  return tx
    .selectFrom("payment")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("kind", "=", "auto")
    .orderBy("created_at", "desc");
}

/** Cursor of `customersToWatch`. */
export interface WatchMark {
  readonly id: string;
  readonly onPhone: boolean;
}

/**
 * Customers with an active automatic top-up whose credit is low or who are in a call. Customers in a call come first, because their
 * credit is running out. Frozen and indebted customers are not charged, so they are left out.
 * @param page.after the last one of the previous page; null for the first page
 */
export async function customersToWatch(tx: Tx, page: { after: WatchMark | null; limit: number }): Promise<WatchMark[]> {
  const { after } = page;
  const isLater = after === null ? sql`true` : sql`(not on_phone, id) > (${!after.onPhone}::boolean, ${after.id}::uuid)`;
  const { rows } = await sql<{ id: string; on_phone: boolean }>`
    select id, on_phone from (
      select t.customer_id as id, a.balance_micros < t.threshold_micros as is_low, exists (
        select from call c where (c.customer_id = t.customer_id and c.payer_id is null or c.payer_id = t.customer_id) and c.ended_at is null and c.answered_at is not null
      ) as on_phone
      from auto_top_up t join account a on a.customer_id = t.customer_id join customer p on p.id = t.customer_id
      where t.is_on and t.stopped_reason is null and a.debt_micros = 0 and p.status <> 'frozen'
    ) watched
    where (is_low or on_phone) and ${isLater}
    order by not on_phone, id limit ${page.limit}`.execute(tx);
  return rows.map((row) => ({ id: row.id, onPhone: row.on_phone }));
}

/** Whether the newest of the account's calls, payments and withdrawals is a withdrawal that did not fail. */
export async function isCreditWithdrawn(tx: Tx, customerId: string): Promise<boolean> {
  const newest = await tx
    .selectFrom("ledger_entry")
    .select("kind")
    .where("customer_id", "=", customerId)
    .where("kind", "in", ["call", "top_up", "withdrawal", "refund_failed"])
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.kind === "withdrawal";
}
