import { sql, type Insertable, type Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { AutoTopUpTables } from "../record/billing.tables.ts";

export type SavedCardRow = Selectable<AutoTopUpTables["saved_card"]>;

const MAX_LISTED = 20;

/** The customer's id at the provider. */
export async function providerCustomerOf(tx: Tx, customerId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("stripe_customer")
    .select("provider_customer_id")
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
  return row?.provider_customer_id;
}

/**
 * @param one.replaces an id that no longer exists at the provider
 * @returns the stored id, which is another instance's if that was faster
 */
export async function storeProviderCustomer(
  tx: Tx,
  one: { customerId: string; providerCustomerId: string; replaces?: string | undefined; now: Date },
): Promise<string> {
  await tx
    .insertInto("stripe_customer")
    .values({ customer_id: one.customerId, provider_customer_id: one.providerCustomerId, created_at: one.now })
    .onConflict((conflict) =>
      conflict
        .column("customer_id")
        .doUpdateSet({ provider_customer_id: one.providerCustomerId })
        .where("stripe_customer.provider_customer_id", "=", one.replaces ?? ""),
    )
    .execute();
  return (await providerCustomerOf(tx, one.customerId)) ?? one.providerCustomerId;
}

/** The customer's cards, newest first. */
export function cardsOf(tx: Tx, customerId: string): Promise<SavedCardRow[]> {
  return tx
    .selectFrom("saved_card")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("removed_at", "is", null)
    .orderBy("id", "desc")
    .limit(MAX_LISTED)
    .execute();
}

export function findCard(tx: Tx, customerId: string, cardId: string): Promise<SavedCardRow | undefined> {
  return tx
    .selectFrom("saved_card")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("id", "=", cardId)
    .where("removed_at", "is", null)
    .executeTakeFirst();
}

/** Finds a card, even a removed one, by the provider's id. */
export function findCardByMethod(tx: Tx, paymentMethodId: string): Promise<SavedCardRow | undefined> {
  return tx.selectFrom("saved_card").selectAll().where("payment_method_id", "=", paymentMethodId).executeTakeFirst();
}

export async function insertCard(tx: Tx, card: Insertable<AutoTopUpTables["saved_card"]>): Promise<void> {
  await tx.insertInto("saved_card").values(card).execute();
}

export async function changeExpiry(tx: Tx, cardId: string, expiry: { month: number; year: number }): Promise<void> {
  await tx.updateTable("saved_card").set({ exp_month: expiry.month, exp_year: expiry.year }).where("id", "=", cardId).execute();
}

/** Marks a card as removed. It is detached at the provider later, unless `detached` says that it already is. */
export async function markRemoved(tx: Tx, cardId: string, at: { removed: Date; detached?: Date }): Promise<void> {
  await tx
    .updateTable("saved_card")
    .set({ removed_at: at.removed, detached_at: at.detached ?? null })
    .where("id", "=", cardId)
    .where("removed_at", "is", null)
    .execute();
}

/** @returns how many there were */
export async function removeAllCards(tx: Tx, customerId: string, at: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("saved_card")
    .set({ removed_at: at })
    .where("customer_id", "=", customerId)
    .where("removed_at", "is", null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export function cardsToDetach(tx: Tx, limit: number): Promise<SavedCardRow[]> {
  return tx
    .selectFrom("saved_card")
    .selectAll()
    .where("removed_at", "is not", null)
    .where("detached_at", "is", null)
    .orderBy("removed_at")
    .limit(limit)
    .execute();
}

export async function markDetached(tx: Tx, cardId: string, at: Date): Promise<void> {
  await tx.updateTable("saved_card").set({ detached_at: at }).where("id", "=", cardId).execute();
}

/** The card to charge for a payment, and whether that is still wanted. */
export interface ChargeOrder {
  readonly providerCustomerId: string;
  readonly paymentMethodId: string;
  /** The card was removed, the account is locked or closing, or the automatic top-up was switched off or agreed to otherwise. */
  readonly revoked: boolean;
}

export async function readChargeOrder(tx: Tx, paymentId: string): Promise<ChargeOrder> {
  return tx
    .selectFrom("payment")
    .innerJoin("saved_card", "saved_card.id", "payment.saved_card_id")
    .innerJoin("stripe_customer", "stripe_customer.customer_id", "payment.customer_id")
    .innerJoin("customer", "customer.id", "payment.customer_id")
    .leftJoin("auto_top_up", "auto_top_up.customer_id", "payment.customer_id")
    .select([
      "stripe_customer.provider_customer_id as providerCustomerId",
      "saved_card.payment_method_id as paymentMethodId",
      sql<boolean>`saved_card.removed_at is not null or customer.status <> 'active' or customer.closes_at is not null
        or payment.kind = 'auto' and (auto_top_up.is_on and auto_top_up.agreed_at <= payment.created_at) is not true`.as(
        "revoked",
      ),
    ])
    .where("payment.id", "=", paymentId)
    .executeTakeFirstOrThrow(() => new Error(`Payment ${paymentId} has no card.`));
}
