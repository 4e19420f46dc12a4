import { TIER_RULES } from "@farline/domain/calls/risk-tier.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { FirstCallRefusal } from "../promotions.tables.ts";
import type { SharedKind } from "../promotion-limits.ts";

export async function dueFirstCalls(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("first_call")
    .select("customer_id")
    .where("next_look_at", "<=", now)
    .orderBy("next_look_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.customer_id);
}

/** Locks a customer's undecided first call; undefined once it was decided. Decisions are serialised until the transaction ends. */
export async function lockFirstCall(tx: Transaction, customerId: string): Promise<{ created_at: Date } | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('first_call', 0))`.execute(tx);
  return tx
    .selectFrom("first_call")
    .select("created_at")
    .where("customer_id", "=", customerId)
    .where("state", "=", "due")
    .executeTakeFirst();
}

/** What a customer shares with others who were granted a first call: a mailbox or browser, or a network since a time. */
export async function sharedWithFirstCaller(tx: Tx, customerId: string, networkSince: Date): Promise<SharedKind | null> {
  const { rows } = await sql<{ kind: SharedKind }>`
    select kind from customers_alike(${customerId}, ${networkSince}) join first_call using (customer_id)
    where state = 'granted' and (kind <> 'network' or decided_at > ${networkSince})
    order by array_position(array['mailbox', 'browser', 'network'], kind) limit 1`.execute(tx);
  return rows[0]?.kind ?? null;
}

/** Postpones a due first call; one that was decided in the meantime stays unchanged. */
export async function postponeFirstCall(tx: Tx, customerId: string, retryAt: Date): Promise<void> {
  await tx
    .updateTable("first_call")
    .set({ next_look_at: retryAt })
    .where("customer_id", "=", customerId)
    .where("state", "=", "due")
    .execute();
}

export async function refuseFirstCall(tx: Tx, customerId: string, refusal: FirstCallRefusal, now: Date): Promise<void> {
  await tx
    .updateTable("first_call")
    .set({ state: "refused", refusal, next_look_at: null, decided_at: now })
    .where("customer_id", "=", customerId)
    .execute();
}

export async function storeFirstCall(tx: Tx, grant: { customerId: string; bonusMicros: bigint; now: Date }): Promise<void> {
  await tx
    .updateTable("first_call")
    .set({ state: "granted", bonus_micros: grant.bonusMicros, next_look_at: null, decided_at: grant.now })
    .where("customer_id", "=", grant.customerId)
    .execute();
}

/** Whether a customer was granted a first call, and of credit that was bought, by them or for them, no payment remains. */
export async function hasOnlyFirstCall(tx: Tx, customerId: string): Promise<boolean> {
  const remaining = tx
    .selectFrom("payment")
    .select("payment.id")
    .where("status", "=", "paid")
    .where("stayed_micros", ">=", TIER_RULES.minKeptMicros);
  const given = remaining
    .innerJoin("credit_gift", "credit_gift.payment_id", "payment.id")
    .where("credit_gift.beneficiary_id", "=", customerId)
    .where("credit_gift.state", "=", "given");
  const found = await tx
    .selectFrom("first_call")
    .select("customer_id")
    .where("customer_id", "=", customerId)
    .where("state", "=", "granted")
    .where(({ not, exists }) => not(exists(remaining.where("payment.customer_id", "=", customerId))))
    .where(({ not, exists }) => not(exists(given)))
    .executeTakeFirst();
  return found !== undefined;
}
