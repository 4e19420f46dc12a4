import type { Tx } from "../../platform/database/database.ts";

export interface EmailChange {
  id: string;
  customerId: string;
  newEmail: string;
  needsOld: boolean;
  newConfirmedAt: Date | null;
  oldConfirmedAt: Date | null;
  doneAt: Date | null;
}

/** Starts a change of address; it replaces an earlier one and its links. */
export async function replaceEmailChange(
  tx: Tx,
  change: { id: string; customerId: string; newEmail: string; needsOld: boolean; now: Date; expiresAt: Date },
): Promise<void> {
  await tx.deleteFrom("email_change").where("customer_id", "=", change.customerId).execute();
  await tx
    .insertInto("email_change")
    .values({
      id: change.id,
      customer_id: change.customerId,
      new_email: change.newEmail,
      needs_old: change.needsOld,
      new_confirmed_at: null,
      old_confirmed_at: null,
      done_at: null,
      created_at: change.now,
      expires_at: change.expiresAt,
    })
    .execute();
}

const COLUMNS = [
  "id",
  "customer_id as customerId",
  "new_email as newEmail",
  "needs_old as needsOld",
  "new_confirmed_at as newConfirmedAt",
  "old_confirmed_at as oldConfirmedAt",
  "done_at as doneAt",
] as const;

export function findEmailChange(tx: Tx, id: string): Promise<EmailChange | undefined> {
  return tx.selectFrom("email_change").select(COLUMNS).where("id", "=", id).executeTakeFirst();
}

/** Records the confirmation from one of the two addresses, and returns the change, locked. */
export async function confirmEmailChange(
  tx: Tx,
  wanted: { id: string; side: "old" | "new"; now: Date },
): Promise<EmailChange | undefined> {
  const column = wanted.side === "new" ? "new_confirmed_at" : "old_confirmed_at";
  return tx
    .updateTable("email_change")
    .set((eb) => ({ [column]: eb.fn.coalesce(column, eb.val(wanted.now)) }))
    .where("id", "=", wanted.id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Cancels a pending change and its links. Returns its new address, or null if there was none. */
export async function deleteEmailChange(tx: Tx, customerId: string): Promise<string | null> {
  const ended = await tx
    .deleteFrom("email_change")
    .where("customer_id", "=", customerId)
    .returning(["new_email", "done_at"])
    .executeTakeFirst();
  return ended === undefined || ended.done_at !== null ? null : ended.new_email;
}

export async function finishEmailChange(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable("email_change").set({ done_at: now }).where("id", "=", id).execute();
}
