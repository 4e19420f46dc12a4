import type { CaseRequest } from "@farline/contract/cases/cases.ts";
import { sql, type Insertable, type Selectable } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { CaseTables } from "./cases.tables.ts";

type StoredCase = Selectable<CaseTables["support_case"]>;

/** A case with the call or payment that it is about. */
export type CaseRow = StoredCase & {
  readonly call_number: string | null;
  readonly call_created_at: Date | null;
  readonly payment_micros: bigint | null;
  readonly payment_created_at: Date | null;
};

/** Serialises a customer's new cases until the transaction ends. */
export async function lockCasesOf(tx: Transaction, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`support-case:${customerId}`}, 0))`.execute(tx);
}

export async function insertCase(tx: Tx, row: Insertable<CaseTables["support_case"]>): Promise<void> {
  await tx.insertInto("support_case").values(row).execute();
}

function cases(tx: Tx) {
  return tx
    .selectFrom("support_case")
    .leftJoin("call", "call.id", "support_case.call_id")
    .leftJoin("payment", "payment.id", "support_case.payment_id")
    .selectAll("support_case")
    .select([
      "call.destination as call_number",
      "call.created_at as call_created_at",
      "payment.charge_micros as payment_micros",
      "payment.created_at as payment_created_at",
    ]);
}

export function findCaseByRequestKey(tx: Tx, customerId: string, requestKey: string): Promise<CaseRow | undefined> {
  return cases(tx)
    .where("support_case.customer_id", "=", customerId)
    .where("support_case.request_key", "=", requestKey)
    .executeTakeFirst();
}

export function readCase(tx: Tx, id: string): Promise<CaseRow> {
  return cases(tx).where("support_case.id", "=", id).executeTakeFirstOrThrow();
}

/** A customer's cases, newest first. @param page.before the last id of the previous page */
export function listCasesOf(tx: Tx, customerId: string, page: { before?: string; limit: number }): Promise<CaseRow[]> {
  let query = cases(tx).where("support_case.customer_id", "=", customerId);
  if (page.before !== undefined) query = query.where("support_case.id", "<", page.before);
  return query.orderBy("support_case.id", "desc").limit(page.limit).execute();
}

export async function countOpenCases(tx: Tx, customerId: string): Promise<number> {
  const row = await tx
    .selectFrom("support_case")
    .select(sql<bigint>`count(*)`.as("open"))
    .where("customer_id", "=", customerId)
    .where("state", "=", "open")
    .executeTakeFirstOrThrow();
  return Number(row.open);
}

/** Whether the call or payment is this customer's. */
export async function ownsSubject(tx: Tx, customerId: string, { type, id }: NonNullable<CaseRequest["about"]>): Promise<boolean> {
  const found = await tx
    .selectFrom(type)
    .select("id")
    .where("id", "=", id)
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
  return found !== undefined;
}

/** A case with its customer's email address, for operators. */
export type QueuedCase = CaseRow & { readonly email: string };

/** When the oldest open case was opened; undefined if none is open. */
export async function oldestOpenCase(tx: Tx): Promise<Date | undefined> {
  const row = await tx
    .selectFrom("support_case")
    .select("created_at")
    .where("state", "=", "open")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}

export function findCaseByNumber(tx: Tx, number: bigint): Promise<QueuedCase | undefined> {
  return queue(tx).where("support_case.number", "=", number).executeTakeFirst();
}

function queue(tx: Tx) {
  return cases(tx).innerJoin("customer", "customer.id", "support_case.customer_id").select("customer.email as email");
}

/** Answers an open case. @returns undefined if it is not open */
export function answerOpenCase(tx: Tx, number: bigint, d: { answer: string; at: Date }): Promise<StoredCase | undefined> {
  return tx
    .updateTable("support_case")
    .set({ state: "answered", answer: d.answer, answered_at: d.at })
    .where("number", "=", number)
    .where("state", "=", "open")
    .returningAll()
    .executeTakeFirst();
}

/** Closes a case, answered or not. @returns undefined if there is none or it is closed */
export function closeOneCase(tx: Tx, number: bigint, at: Date): Promise<StoredCase | undefined> {
  return tx
    .updateTable("support_case")
    .set({ state: "closed", closed_at: at })
    .where("number", "=", number)
    .where("state", "<>", "closed")
    .returningAll()
    .executeTakeFirst();
}
