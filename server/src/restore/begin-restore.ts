import { uuidv7 } from "uuidv7";
import { endAllAccess } from "../accounts/accounts.ts";
import { checkRefundsBeforeSending, deleteAllCreditRequests } from "../billing/billing.ts";
import { deleteAllInvitations } from "../family/family.ts";
import { endAllOperatorAccess } from "../operator/operator.ts";
import type { Context } from "../context.ts";
import { allowLongStatements, insertRestore, newestRecord, restoreInProgress, type Restore } from "./restore.store.ts";

/**
 * Closes the doors of a database that was just restored from a back-up. What was ended or used up after the back-up would be valid again,
 * so all sessions, links and tickets end (voice credentials with them), also the links by which customers invite people to their family
 * or ask for credit, and no refund is sent before the provider was asked for it.
 * @returns the restore, which may have begun before; null if the database has no customers
 */
export async function beginRestore(ctx: Context): Promise<Restore | null> {
  return ctx.transaction(async (tx) => {
    const known = await restoreInProgress(tx);
    if (known !== undefined) return known;
    await allowLongStatements(tx);
    const knownUntil = await newestRecord(tx);
    if (knownUntil === null) return null;
    const now = ctx.clock.now();
    const restore: Restore = { id: uuidv7(), began_at: now, known_until: knownUntil, receipts_above: null, opened_at: null };
    await insertRestore(tx, restore);
    await endAllAccess(tx, now);
    await deleteAllInvitations(tx);
    await deleteAllCreditRequests(tx);
    await endAllOperatorAccess(tx);
    await checkRefundsBeforeSending(tx);
    return restore;
  });
}
