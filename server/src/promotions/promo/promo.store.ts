import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { PromotionTables } from "../promotions.tables.ts";

export type Campaign = Selectable<PromotionTables["promo_campaign"]>;
type NewCampaign = Insertable<PromotionTables["promo_campaign"]>;
export type PromoUse = Selectable<PromotionTables["promo_use"]>;

export function findCampaign(tx: Tx, code: string): Promise<Campaign | undefined> {
  return tx.selectFrom("promo_campaign").selectAll().where("code", "=", code).executeTakeFirst();
}

/** Locks the campaign, so that its caps cannot be exceeded. */
export function lockCampaign(tx: Transaction, wanted: { code: string } | { id: string }): Promise<Campaign | undefined> {
  const campaign = tx.selectFrom("promo_campaign").selectAll().forNoKeyUpdate();
  return ("code" in wanted ? campaign.where("code", "=", wanted.code) : campaign.where("id", "=", wanted.id)).executeTakeFirst();
}

/** @returns false if the code is taken */
export async function insertCampaign(tx: Tx, campaign: NewCampaign): Promise<boolean> {
  const made = await tx
    .insertInto("promo_campaign")
    .values(campaign)
    .onConflict((conflict) => conflict.column("code").doNothing())
    .returning("id")
    .executeTakeFirst();
  return made !== undefined;
}

/** The newest first. */
export function listCampaigns(tx: Tx, limit: number): Promise<Campaign[]> {
  return tx.selectFrom("promo_campaign").selectAll().orderBy("created_at", "desc").limit(limit).execute();
}

/** @returns false if it had ended before */
export async function endCampaign(tx: Tx, campaignId: string, now: Date): Promise<boolean> {
  const ended = await tx
    .updateTable("promo_campaign")
    .set({ ended_at: now })
    .where("id", "=", campaignId)
    .where("ended_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return ended !== undefined;
}

/** Changes a campaign's reserved total. Needs its lock. */
export async function countUse(tx: Tx, campaignId: string, by: { uses: number; micros: bigint }): Promise<void> {
  await tx
    .updateTable("promo_campaign")
    .set((eb) => ({ uses: eb("uses", "+", by.uses), promised_micros: eb("promised_micros", "+", by.micros) }))
    .where("id", "=", campaignId)
    .execute();
}

/** The customer's use of a campaign that is reserved or granted. */
export function findOwnUse(tx: Tx, wanted: { campaignId: string; customerId: string }): Promise<PromoUse | undefined> {
  return tx
    .selectFrom("promo_use")
    .selectAll()
    .where("campaign_id", "=", wanted.campaignId)
    .where("customer_id", "=", wanted.customerId)
    .where("state", "<>", "released")
    .executeTakeFirst();
}

/** Whether a customer with the same mailbox has used a campaign: reserved or granted, or only granted. */
export async function mailboxHasUsed(
  tx: Tx,
  wanted: { campaignId: string; customerId: string; states: readonly PromoUse["state"][] },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from customers_alike(${wanted.customerId}, 'infinity') join promo_use using (customer_id)
    where kind = 'mailbox' and campaign_id = ${wanted.campaignId} and state = any (${[...wanted.states]}) limit 1`.execute(tx);
  return rows.length > 0;
}

export async function insertUse(tx: Tx, use: Insertable<PromotionTables["promo_use"]>): Promise<void> {
  await tx.insertInto("promo_use").values(use).execute();
}

/** The code on a payment. Changing it requires the payment's lock. */
export function readUse(tx: Tx, paymentId: string): Promise<(PromoUse & { code: string }) | undefined> {
  return tx
    .selectFrom("promo_use")
    .innerJoin("promo_campaign", "promo_campaign.id", "promo_use.campaign_id")
    .selectAll("promo_use")
    .select("promo_campaign.code")
    .where("payment_id", "=", paymentId)
    .executeTakeFirst();
}

/** Whether a card has already earned this campaign's bonus. Only granted uses have a card. */
export async function cardHasUsed(tx: Tx, wanted: { campaignId: string; fingerprint: string }): Promise<boolean> {
  const used = await tx
    .selectFrom("promo_use")
    .select("payment_id")
    .where("campaign_id", "=", wanted.campaignId)
    .where("card_fingerprint", "=", wanted.fingerprint)
    .executeTakeFirst();
  return used !== undefined;
}

export async function grantUse(tx: Tx, paymentId: string, by: { fingerprint: string | null; now: Date }): Promise<void> {
  await tx
    .updateTable("promo_use")
    .set({ state: "granted", card_fingerprint: by.fingerprint, settled_at: by.now })
    .where("payment_id", "=", paymentId)
    .execute();
}

/** @returns false if the reservation was already released or granted */
export async function releaseUse(tx: Tx, paymentId: string, now: Date): Promise<boolean> {
  const released = await tx
    .updateTable("promo_use")
    .set({ state: "released", card_fingerprint: null, settled_at: now })
    .where("payment_id", "=", paymentId)
    .where("state", "=", "reserved")
    .returning("payment_id")
    .executeTakeFirst();
  return released !== undefined;
}

/** A package's price in micro-dollars. */
export async function packagePrice(tx: Tx, packageId: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ amount_micros: bigint }>`
    select amount_micros from credit_package where id = ${packageId} and on_sale`.execute(tx);
  return rows[0]?.amount_micros;
}
