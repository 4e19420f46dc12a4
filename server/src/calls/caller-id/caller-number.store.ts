import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { CallerNumberRow } from "../record/calls.tables.ts";

export async function listCallerNumbers(tx: Tx, customerId: string): Promise<CallerNumberRow[]> {
  return tx.selectFrom("caller_number").selectAll().where("customer_id", "=", customerId).orderBy("proven_at").execute();
}

async function findCallerNumber(tx: Tx, number: string): Promise<CallerNumberRow | undefined> {
  return tx.selectFrom("caller_number").selectAll().where("number", "=", number).executeTakeFirst();
}

/** Locks the number, if an account has it. @returns the owner's id */
export async function lockCallerNumber(tx: Transaction, number: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("caller_number")
    .select("customer_id")
    .where("number", "=", number)
    .forUpdate()
    .executeTakeFirst();
  return row?.customer_id;
}

/** Whether the number belongs to another customer's account. */
export async function isOfAnother(tx: Tx, number: string, customerId: string): Promise<boolean> {
  const owner = (await findCallerNumber(tx, number))?.customer_id;
  return owner !== undefined && owner !== customerId;
}

/** The customer's number that their calls show; undefined for the service's. */
export async function findChosenNumber(tx: Tx, customerId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("caller_number")
    .select("number")
    .where("customer_id", "=", customerId)
    .where("chosen", "=", true)
    .executeTakeFirst();
  return row?.number;
}

/** The customer's number with its proof; null if calls may not show it now. */
export async function readShownNumber(
  tx: Tx,
  customerId: string,
  number: string,
): Promise<{ number: string; proof: string | null } | null> {
  const row = await findCallerNumber(tx, number);
  return row?.customer_id === customerId && row.lapsed_at === null ? { number, proof: row.proof } : null;
}

/**
 * Saves a newly verified number and makes it the shown one.
 * @returns false if another account has taken it in the meantime, or it is blocked
 */
export async function saveProvenNumber(
  tx: Transaction,
  proven: { number: string; customerId: string; proof: string | null; at: Date },
): Promise<boolean> {
  const { number, customerId, proof, at } = proven;
  await tx.deleteFrom("caller_number_removal").where("number", "=", number).execute();
  // It may have been disputed since the code was issued.
  if (await isBlockedNumber(tx, number)) return false;
  const values = { proof, proven_at: at, lapsed_at: null };
  const saved = await tx
    .insertInto("caller_number")
    .values({ number, customer_id: customerId, ...values })
    .onConflict((conflict) => conflict.column("number").doUpdateSet(values).where("caller_number.customer_id", "=", customerId))
    .returning("number")
    .executeTakeFirst();
  if (saved === undefined) return false;
  await deleteCheck(tx, customerId);
  return chooseNumber(tx, customerId, number);
}

/** @param number null for the service's. @returns false if it is not one of the customer's verified numbers */
export async function chooseNumber(tx: Transaction, customerId: string, number: string | null): Promise<boolean> {
  // Locks in a fixed order, so that only one of two concurrent choices remains.
  await tx
    .selectFrom("caller_number")
    .select("number")
    .where("customer_id", "=", customerId)
    .orderBy("number")
    .forUpdate()
    .execute();
  if (number !== null) {
    const found = await findCallerNumber(tx, number);
    if (found?.customer_id !== customerId || found.lapsed_at !== null) return false;
  }
  await tx
    .updateTable("caller_number")
    .set({ chosen: false })
    .where("customer_id", "=", customerId)
    .where("chosen", "=", true)
    .execute();
  if (number !== null) await tx.updateTable("caller_number").set({ chosen: true }).where("number", "=", number).execute();
  return true;
}

/** Resets the shown number to the service's. @returns whether it was a different one */
export async function resetShownNumber(tx: Tx, customerId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("caller_number")
    .set({ chosen: false })
    .where("customer_id", "=", customerId)
    .where("chosen", "=", true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a number that the provider no longer shows. */
export async function lapseNumber(tx: Tx, number: string, at: Date): Promise<void> {
  await tx.updateTable("caller_number").set({ chosen: false, lapsed_at: at }).where("number", "=", number).execute();
}

/** Marks numbers verified before a time as lapsed, so that they must be verified again. @returns the owners' ids */
export async function lapseOldNumbers(tx: Tx, provenBefore: Date, at: Date): Promise<string[]> {
  const rows = await tx
    .updateTable("caller_number")
    .set({ chosen: false, lapsed_at: at })
    .where("proven_at", "<", provenBefore)
    .where("lapsed_at", "is", null)
    .returning("customer_id")
    .execute();
  return rows.map(({ customer_id: id }) => id);
}

/** Removes a number, here and later at the provider. @param customerId null for any owner. @returns the owner's id */
export async function removeNumber(
  tx: Transaction,
  removed: { number: string; customerId: string | null; at: Date },
): Promise<string | undefined> {
  const { number, customerId, at } = removed;
  let query = tx.deleteFrom("caller_number").where("number", "=", number);
  if (customerId !== null) query = query.where("customer_id", "=", customerId);
  const row = await query.returning("customer_id").executeTakeFirst();
  if (row !== undefined || customerId === null) await requestRemoval(tx, [number], at);
  return row?.customer_id;
}

/** Removes all of a customer's numbers, here and later at the provider. @returns the numbers */
export async function removeAllNumbers(tx: Transaction, customerId: string, at: Date): Promise<string[]> {
  const rows = await listCallerNumbers(tx, customerId);
  for (const { number } of rows) await removeNumber(tx, { number, customerId, at });
  return rows.map(({ number }) => number);
}

async function requestRemoval(tx: Tx, numbers: readonly string[], at: Date): Promise<void> {
  await tx
    .insertInto("caller_number_removal")
    .values(numbers.map((number) => ({ number, requested_at: at })))
    .onConflict((conflict) => conflict.column("number").doNothing())
    .execute();
}

/** Removed numbers that the provider still lists, oldest removal first. */
export async function listRemovals(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.selectFrom("caller_number_removal").select("number").orderBy("requested_at").limit(limit).execute();
  return rows.map(({ number }) => number);
}

export async function deleteRemoval(tx: Tx, number: string): Promise<void> {
  await tx.deleteFrom("caller_number_removal").where("number", "=", number).execute();
}

export async function isBlockedNumber(tx: Tx, number: string): Promise<boolean> {
  const row = await tx.selectFrom("blocked_caller_number").select("number").where("number", "=", number).executeTakeFirst();
  return row !== undefined;
}

/** @returns false if it is already blocked */
export async function blockNumber(tx: Transaction, blocked: { number: string; reason: string; at: Date }): Promise<boolean> {
  await tx.deleteFrom("caller_number_check").where("number", "=", blocked.number).execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("blocked_caller_number")
    .values({ number: blocked.number, reason: blocked.reason, blocked_at: blocked.at })
    .onConflict((conflict) => conflict.column("number").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns false if it was not blocked */
export async function unblockNumber(tx: Tx, number: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("blocked_caller_number").where("number", "=", number).executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Writes the check that a call with a code starts, replacing the customer's earlier one. */
export async function startCheck(
  tx: Tx,
  check: { id: string; customerId: string; number: string; at: Date; expiresAt: Date },
): Promise<void> {
  const values = { id: check.id, number: check.number, tries: 0, created_at: check.at, expires_at: check.expiresAt };
  await tx
    .insertInto("caller_number_check")
    .values({ customer_id: check.customerId, ...values })
    .onConflict((conflict) => conflict.column("customer_id").doUpdateSet(values))
    .execute();
}

/** The customer's check whose code can still be entered. */
export async function findCheck(
  tx: Tx,
  customerId: string,
  now: Date,
): Promise<{ id: string; number: string; tries: number; expires_at: Date } | undefined> {
  return tx
    .selectFrom("caller_number_check")
    .select(["id", "number", "tries", "expires_at"])
    .where("customer_id", "=", customerId)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Whether any customer can still enter a code for this number. */
export async function hasOpenCheck(tx: Tx, number: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom("caller_number_check")
    .select("id")
    .where("number", "=", number)
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts an attempt before the code is compared, so that concurrent attempts count too. @returns false if the limit is reached */
export async function countTry(tx: Tx, checkId: string, limit: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("caller_number_check")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("id", "=", checkId)
    .where("tries", "<", limit)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Uncounts an attempt that the provider could not check. */
export async function uncountTry(tx: Tx, checkId: string): Promise<void> {
  await tx
    .updateTable("caller_number_check")
    .set((eb) => ({ tries: eb("tries", "-", 1) }))
    .where("id", "=", checkId)
    .where("tries", ">", 0)
    .execute();
}

export async function deleteCheck(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("caller_number_check").where("customer_id", "=", customerId).execute();
}

export async function deleteExpiredChecks(tx: Tx, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(tx, signal, { from: "caller_number_check", where: sql`expires_at <= ${now}` });
}
