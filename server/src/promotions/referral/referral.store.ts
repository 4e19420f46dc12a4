import { sql, type Selectable, type Updateable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { PromotionTables } from "../promotions.tables.ts";
import type { SharedKind } from "../promotion-limits.ts";

export type Referral = Selectable<PromotionTables["referral"]>;

/** The customer's code, which becomes `fresh` if there is none. Null if another customer has `fresh`. */
export async function ensureInvitationCode(
  tx: Tx,
  wanted: { customerId: string; fresh: string; now: Date },
): Promise<string | null> {
  await tx
    .insertInto("referral_code")
    .values({ customer_id: wanted.customerId, code: wanted.fresh, created_at: wanted.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const kept = await tx
    .selectFrom("referral_code")
    .select("code")
    .where("customer_id", "=", wanted.customerId)
    .executeTakeFirst();
  return kept?.code ?? null;
}

export async function ownerOfCode(tx: Tx, code: string): Promise<string | undefined> {
  return (await tx.selectFrom("referral_code").select("customer_id").where("code", "=", code).executeTakeFirst())?.customer_id;
}

/** @returns false if the customer was invited before */
export async function insertReferral(tx: Tx, referral: { invitedId: string; inviterId: string; now: Date }): Promise<boolean> {
  const made = await tx
    .insertInto("referral")
    .values({
      invited_id: referral.invitedId,
      inviter_id: referral.inviterId,
      refusal: null,
      payment_id: null,
      paid_micros: null,
      paid_at: null,
      next_look_at: null,
      created_at: referral.now,
      decided_at: null,
    })
    .onConflict((conflict) => conflict.column("invited_id").doNothing())
    .returning("invited_id")
    .executeTakeFirst();
  return made !== undefined;
}

/** The results of a customer's invitations. */
export async function countReferrals(
  tx: Tx,
  inviterId: string,
): Promise<{ invited: number; rewarded: number; earnedMicros: bigint }> {
  const { rows } = await sql<{ invited: bigint; rewarded: bigint; earned: bigint }>`
    select count(*) as invited, count(*) filter (where state = 'rewarded') as rewarded,
      coalesce(sum(inviter_bonus_micros) filter (where state = 'rewarded'), 0)::bigint as earned
    from referral where inviter_id = ${inviterId}`.execute(tx);
  const [row] = rows;
  return { invited: Number(row?.invited ?? 0), rewarded: Number(row?.rewarded ?? 0), earnedMicros: row?.earned ?? 0n };
}

/** Records the first credited payment of an invited customer; a job decides the reward soon after. */
export async function recordReferralPayment(
  tx: Tx,
  paid: { invitedId: string; paymentId: string; paidMicros: bigint; cardShared: boolean; now: Date },
): Promise<void> {
  await tx
    .updateTable("referral")
    .set({
      payment_id: paid.paymentId,
      paid_micros: paid.paidMicros,
      card_shared: paid.cardShared,
      paid_at: paid.now,
      next_look_at: paid.now,
    })
    .where("invited_id", "=", paid.invitedId)
    .where("payment_id", "is", null)
    .execute();
}

/** Refuses an undecided invitation whose payment was returned. */
export async function refuseReturned(tx: Tx, wanted: { paymentId: string; now: Date }): Promise<void> {
  await tx
    .updateTable("referral")
    .set({ state: "refused", refusal: "returned", next_look_at: null, decided_at: wanted.now })
    .where("payment_id", "=", wanted.paymentId)
    .where("state", "=", "invited")
    .execute();
}

export async function dueReferrals(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("referral")
    .select("invited_id")
    .where("next_look_at", "<=", now)
    .where("payment_id", "is not", null)
    .orderBy("next_look_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.invited_id);
}

/** Postpones a due referral; one that was decided in the meantime stays unchanged. */
export async function postponeReferral(tx: Tx, invitedId: string, by: { now: Date; until: Date }): Promise<void> {
  await tx
    .updateTable("referral")
    .set({ next_look_at: by.until })
    .where("invited_id", "=", invitedId)
    .where("next_look_at", "<=", by.now)
    .execute();
}

/** The invitation by which a customer came. */
export function readReferral(tx: Tx, invitedId: string): Promise<Referral | undefined> {
  return referralOf(tx, invitedId).executeTakeFirst();
}

/** Like `readReferral`, but locks it until the transaction ends. */
export function lockReferral(tx: Transaction, invitedId: string): Promise<Referral | undefined> {
  return referralOf(tx, invitedId).forNoKeyUpdate().executeTakeFirst();
}

function referralOf(tx: Tx, invitedId: string) {
  return tx.selectFrom("referral").selectAll().where("invited_id", "=", invitedId);
}

/**
 * What an invited customer shares with the inviter, or with a customer whose invitation was rewarded before.
 * @param wanted.networkSince for networks shared with the inviter
 */
export async function sharedWithInvited(
  tx: Tx,
  wanted: { invitedId: string; inviterId: string; networkSince: Date },
): Promise<SharedKind | null> {
  const { rows } = await sql<{ kind: SharedKind }>`
    select kind from customers_alike(${wanted.invitedId}, ${wanted.networkSince}) as alike
    where customer_id = ${wanted.inviterId} or (kind <> 'network' and exists (
      select 1 from referral where invited_id = alike.customer_id and state = 'rewarded'))
    order by array_position(array['mailbox', 'browser', 'network'], kind) limit 1`.execute(tx);
  return rows[0]?.kind ?? null;
}

/** An inviter's rewards since a time. Serialises the inviter's rewards until the transaction ends. */
export async function countRewards(tx: Transaction, inviterId: string, since: Date): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`referral:${inviterId}`}, 0))`.execute(tx);
  const { rewards } = await tx
    .selectFrom("referral")
    .select((eb) => eb.fn.countAll<bigint>().as("rewards"))
    .where("inviter_id", "=", inviterId)
    .where("decided_at", ">", since)
    .where("inviter_bonus_micros", ">", 0n)
    .executeTakeFirstOrThrow();
  return Number(rewards);
}

export async function saveReferral(tx: Tx, invitedId: string, change: Updateable<PromotionTables["referral"]>): Promise<void> {
  await tx.updateTable("referral").set(change).where("invited_id", "=", invitedId).execute();
}
