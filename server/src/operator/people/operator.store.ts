import { sql, type RawBuilder } from "kysely";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { OperatorRow } from "../operator.tables.ts";

/** An operator as listed, with what they can sign in with. */
export interface ListedOperator extends OperatorRow {
  readonly hasPassword: boolean;
  readonly passkeys: number;
  readonly sessions: number;
  readonly invitedUntil: Date | null;
  /** A link that only the proposer may fetch, until this time. */
  readonly linkProposer: string | null;
  readonly linkUntil: Date | null;
}

/** Serialises changes of who may do what, so that two of them cannot leave no administrator. */
export async function lockOperators(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('operators', 0))`.execute(tx);
}

export async function insertOperator(tx: Tx, row: Omit<OperatorRow, "removed_at" | "trusted_from">): Promise<void> {
  await tx.insertInto("operator").values(row).execute();
}

/** An operator who was not removed, by id or address. */
export function findOperator(db: Tx, wanted: { id: string } | { email: string }): Promise<OperatorRow | undefined> {
  const rows = db.selectFrom("operator").selectAll().where("removed_at", "is", null);
  const found =
    "id" in wanted ? rows.where("id", "=", wanted.id) : rows.where(sql<boolean>`lower(email) = lower(${wanted.email})`);
  return found.executeTakeFirst();
}

/** The role of an operator who was not removed. @param isHeld it cannot change until the transaction ends */
export async function readRole(tx: Transaction, id: string, isHeld: boolean): Promise<OperatorRole | undefined> {
  const row = await tx
    .selectFrom("operator")
    .select("role")
    .where("id", "=", id)
    .where("removed_at", "is", null)
    .$if(isHeld, (query) => query.forShare())
    .executeTakeFirst();
  return row?.role;
}

/** Operators who were not removed, oldest first. */
export function listOperators(db: Tx, live: { now: Date; idleSince: Date }): Promise<ListedOperator[]> {
  return db
    .selectFrom("operator as o")
    .leftJoin("operator_invitation as w", (join) =>
      join.onRef("w.operator_id", "=", "o.id").on("w.token_hash", "is", null).on("w.expires_at", ">", live.now),
    )
    .selectAll("o")
    .select((eb) => [
      eb
        .exists(eb.selectFrom("operator_password as p").select("p.operator_id").whereRef("p.operator_id", "=", "o.id"))
        .as("hasPassword"),
      sql<number>`(select count(*)::int from operator_passkey where operator_id = o.id)`.as("passkeys"),
      sql<number>`(select count(*)::int from operator_session where operator_id = o.id and expires_at > ${live.now}
        and last_seen_at > ${live.idleSince})`.as("sessions"),
      sql<Date | null>`(select expires_at from operator_invitation where operator_id = o.id and expires_at > ${live.now}
        and token_hash is not null)`.as("invitedUntil"),
      "w.proposed_by as linkProposer",
      "w.expires_at as linkUntil",
    ])
    .where("o.removed_at", "is", null)
    .orderBy("o.created_at")
    .orderBy("o.id")
    .execute() as Promise<ListedOperator[]>;
}

/** Whether an administrator besides these can sign in and counts as a second person. */
export function isAnotherAdminTrusted(tx: Tx, { except, now }: { except: readonly string[]; now: Date }): Promise<boolean> {
  return hasAdmin(tx, sql`id <> all(${except}) and trusted_from <= ${now}`);
}

/** Whether any administrator but this one can sign in. */
export function canAnotherAdminSignIn(tx: Tx, exceptEmail: string): Promise<boolean> {
  return hasAdmin(tx, sql`lower(email) <> lower(${exceptEmail})`);
}

/** Whether an administrator of this kind can sign in. */
async function hasAdmin(tx: Tx, which: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from operator o where role = 'admin' and removed_at is null and ${which}
      and (exists (select 1 from operator_password where operator_id = o.id)
        or exists (select 1 from operator_passkey where operator_id = o.id))
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** The first of these operators who does not count as a second person yet. */
export function findUntrusted(tx: Tx, ids: readonly string[], now: Date): Promise<OperatorRow | undefined> {
  return tx.selectFrom("operator").selectAll().where("id", "in", ids).where("trusted_from", ">", now).executeTakeFirst();
}

export async function storeTrustedFrom(tx: Tx, id: string, from: Date): Promise<void> {
  await tx.updateTable("operator").set({ trusted_from: from }).where("id", "=", id).execute();
}

export async function storeRole(tx: Tx, id: string, role: OperatorRole): Promise<void> {
  await tx.updateTable("operator").set({ role }).where("id", "=", id).execute();
}

export async function markRemoved(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable("operator").set({ removed_at: at }).where("id", "=", id).execute();
}

/** Deletes everything that an operator can sign in with. */
export async function deleteCredentials(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("operator_invitation").where("operator_id", "=", id).execute();
  await tx.deleteFrom("operator_password").where("operator_id", "=", id).execute();
  await tx.deleteFrom("operator_passkey").where("operator_id", "=", id).execute();
  await tx.deleteFrom("operator_passkey_challenge").where("operator_id", "=", id).execute();
}
