import { sql, type RawBuilder } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { Approval, OperatorTables } from "./operator.tables.ts";
import type { Insertable } from "kysely";

const MAX_SHOWN = 100;

/** Serialises money operations, so that concurrent small ones are summed correctly. */
export async function lockMoneyOperations(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('money-order', 0))`.execute(tx);
}

/** The amounts that operators moved without a second operator since a time, whatever the action: every record holds its amount. */
export async function sumMovedAlone(
  tx: Tx,
  { customerId, operatorId, since }: { customerId: string | null; operatorId: string; since: Date },
): Promise<{
  readonly ofCustomerMicros: bigint;
  /** With what everyone can use, such as promo codes. */
  readonly toManyMicros: bigint;
  readonly ownToManyMicros: bigint;
  /** All of this operator. */
  readonly ownMicros: bigint;
  readonly altogetherMicros: bigint;
}> {
  const sumWhere = (of: RawBuilder<unknown>) =>
    sql<bigint>`coalesce(sum(nullif(detail->>'amount_micros', 'unlimited')::bigint) filter (where ${of}), 0)::bigint`;
  const [toMany, own] = [sql`customer_id is null`, sql`operator_id = ${operatorId}`];
  return tx
    .selectFrom("operation")
    .select([
      sumWhere(sql`customer_id = ${customerId}`).as("ofCustomerMicros"),
      sumWhere(toMany).as("toManyMicros"),
      sumWhere(sql`${toMany} and ${own}`).as("ownToManyMicros"),
      sumWhere(own).as("ownMicros"),
      sumWhere(sql`true`).as("altogetherMicros"),
    ])
    .where("action", "not like", "propose-%")
    .where("happened_at", ">", since)
    .where(sql<boolean>`not detail ? 'proposed_by'`)
    .executeTakeFirstOrThrow();
}

/** A movement of money, to find an earlier one that is the same. */
interface Movement {
  readonly action: string;
  readonly customerId: string;
  readonly subject: string | null;
  readonly amountMicros: bigint;
  readonly key: string | null;
  /** When an earlier one with the same content no longer counts as a repetition. */
  readonly since: Date;
  readonly now: Date;
}

/** Whether an operation with this key was carried out. */
export async function wasDone(tx: Tx, order: { action: string; customerId: string; key: string }): Promise<boolean> {
  const done = await tx
    .selectFrom("operation")
    .select("id")
    .where("customer_id", "=", order.customerId)
    .where("action", "=", order.action)
    .where(sql<boolean>`detail->>'key' = ${order.key}`)
    .limit(1)
    .executeTakeFirst();
  return done !== undefined;
}

/** The latest operation with the movement's content since a time. */
export function findDone(
  tx: Tx,
  { action, customerId, subject, amountMicros, since }: Movement,
): Promise<{ operator: string; at: Date } | undefined> {
  return tx
    .selectFrom("operation")
    .select(["operator", "happened_at as at"])
    .where("customer_id", "=", customerId)
    .where("action", "=", action)
    .where("happened_at", ">", since)
    .where(sql<boolean>`subject is not distinct from ${subject} and detail->>'amount_micros' = ${String(amountMicros)}`)
    .orderBy("happened_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Open proposals with the movement's key or content, newest first. */
export function findProposed(
  tx: Tx,
  { action, customerId, subject, amountMicros, key, since, now }: Movement,
): Promise<Approval[]> {
  return tx
    .selectFrom("approval")
    .innerJoin("operator", "operator.id", "approval.proposed_by")
    .selectAll("approval")
    .select(["operator.name as proposer", "operator.role as proposer_role"])
    .where("customer_id", "=", customerId)
    .where("action", "=", action)
    .where("state", "=", "open")
    .where("expires_at", ">", now)
    .where(sql<boolean>`(detail->>'key' = ${key} or (proposed_at > ${since}
      and subject is not distinct from ${subject} and amount_micros = ${amountMicros}))`)
    .orderBy("proposed_at", "desc")
    .limit(MAX_SHOWN)
    .execute();
}

export async function insertApproval(tx: Tx, approval: Insertable<OperatorTables["approval"]>): Promise<void> {
  await tx.insertInto("approval").values(approval).execute();
}

/** Proposals that can be confirmed, oldest first. */
export async function listOpenApprovals(tx: Tx, now: Date): Promise<Approval[]> {
  return openOnes(tx, now).orderBy("proposed_at").limit(MAX_SHOWN).execute();
}

/** Those of the proposals that can be confirmed. */
export async function findOpenApprovals(tx: Tx, ids: readonly string[], now: Date): Promise<Approval[]> {
  if (ids.length === 0) return [];
  return openOnes(tx, now).where("approval.id", "in", ids).execute();
}

function openOnes(tx: Tx, now: Date) {
  return tx
    .selectFrom("approval")
    .innerJoin("operator", "operator.id", "approval.proposed_by")
    .selectAll("approval")
    .select(["operator.name as proposer", "operator.role as proposer_role"])
    .where("operator.removed_at", "is", null)
    .where("state", "=", "open")
    .where("expires_at", ">", now);
}

/**
 * Finds a confirmable proposal and locks it until the transaction ends. Its proposer is locked first, as when they are demoted or removed,
 * which ends their proposals.
 */
export async function lockOpenApproval(tx: Transaction, id: string, now: Date): Promise<Approval | undefined> {
  await sql`select from operator where id = (select proposed_by from approval where id = ${id}) for share`.execute(tx);
  return openOnes(tx, now).where("approval.id", "=", id).forUpdate("approval").executeTakeFirst();
}

/** An operator's open proposals, locked until the transaction ends. */
export async function lockOpenApprovalsOf(
  tx: Transaction,
  operatorId: string,
  now: Date,
): Promise<Pick<Approval, "id" | "action" | "customer_id" | "subject">[]> {
  return tx
    .selectFrom("approval")
    .select(["id", "action", "customer_id", "subject"])
    .where("proposed_by", "=", operatorId)
    .where("state", "=", "open")
    .where("expires_at", ">", now)
    .orderBy("id")
    .forUpdate()
    .execute();
}

export async function decideApproval(
  tx: Tx,
  id: string,
  decision: { state: "confirmed" | "rejected" | "withdrawn"; by: string; at: Date },
): Promise<void> {
  const { state, by, at } = decision;
  await tx.updateTable("approval").set({ state, decided_by: by, decided_at: at }).where("id", "=", id).execute();
}
