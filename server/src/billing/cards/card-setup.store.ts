import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { AutoTopUpTables, CardSetupStatus } from "../record/billing.tables.ts";

export type CardSetup = Selectable<AutoTopUpTables["card_setup"]>;

const MAX_COUNTED = 100;
/** Statuses that may still save a card. */
const UNDECIDED: readonly CardSetupStatus[] = ["created", "open"];

export async function insertCardSetup(tx: Tx, setup: Insertable<AutoTopUpTables["card_setup"]>): Promise<void> {
  await tx.insertInto("card_setup").values(setup).execute();
}

/** Stores the session that the provider opened, unless an event already did. */
export async function attachSetupSession(tx: Tx, setupId: string, sessionId: string): Promise<void> {
  await tx
    .updateTable("card_setup")
    .set({ session_id: sessionId, status: "open" })
    .where("id", "=", setupId)
    .where("status", "=", "created")
    .execute();
}

export function readCardSetup(tx: Tx, setupId: string): Promise<CardSetup | undefined> {
  return tx.selectFrom("card_setup").selectAll().where("id", "=", setupId).executeTakeFirst();
}

export function lockCardSetup(tx: Transaction, setupId: string): Promise<CardSetup> {
  return tx.selectFrom("card_setup").selectAll().where("id", "=", setupId).forNoKeyUpdate().executeTakeFirstOrThrow();
}

export async function finishCardSetup(
  tx: Tx,
  setupId: string,
  end: { status: "saved" | "expired"; sessionId: string | null; cardId: string | null },
): Promise<void> {
  await tx
    .updateTable("card_setup")
    .set({ status: end.status, session_id: end.sessionId, card_id: end.cardId, next_check_at: null })
    .where("id", "=", setupId)
    .execute();
}

/** Expires the customer's open setups, which can then no longer save a card. */
export async function expireCardSetups(tx: Tx, customerId: string): Promise<void> {
  await tx
    .updateTable("card_setup")
    .set({ status: "expired", next_check_at: null })
    .where("customer_id", "=", customerId)
    .where("status", "in", UNDECIDED)
    .execute();
}

/** Start times of the customer's recent setups, newest first. */
export async function setupTimes(tx: Tx, customerId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom("card_setup")
    .select("created_at")
    .where("customer_id", "=", customerId)
    .where("created_at", ">", since)
    .orderBy("created_at", "desc")
    .limit(MAX_COUNTED)
    .execute();
  return rows.map((row) => row.created_at);
}

/** Claims setups that are due for a check at the provider, each until `again`. */
export function claimDueSetups(tx: Tx, claim: { now: Date; again: Date; limit: number }): Promise<CardSetup[]> {
  return tx
    .updateTable("card_setup")
    .set({ next_check_at: claim.again, last_check_at: claim.now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("card_setup")
        .select("id")
        .where("status", "in", UNDECIDED)
        .where("next_check_at", "<=", claim.now)
        .orderBy("next_check_at")
        .limit(claim.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/** Claims the customer's newest open setups, each at most once per `pauseMs`. */
export function claimSetupsOf(
  tx: Tx,
  claim: { customerId: string; now: Date; pauseMs: number; limit: number },
): Promise<CardSetup[]> {
  const { now } = claim;
  return tx
    .updateTable("card_setup")
    .set({ last_check_at: now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("card_setup")
        .select("id")
        .where("customer_id", "=", claim.customerId)
        .where("status", "=", "open")
        .where((or) =>
          or.or([or("last_check_at", "is", null), or("last_check_at", "<=", new Date(now.getTime() - claim.pauseMs))]),
        )
        .orderBy("created_at", "desc")
        .limit(claim.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/** Deletes setups of before a time that saved no card. */
export function forgetUnfinishedSetups(tx: Tx, before: Date, signal: AbortSignal): Promise<void> {
  return deleteRows(tx, signal, { from: "card_setup", where: sql`status <> 'saved' and created_at < ${before}` });
}
