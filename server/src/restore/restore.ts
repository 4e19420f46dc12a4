import { uuidv7 } from "uuidv7";
import { DAY_MS } from "@farline/domain/durations.ts";
import { endAllAccess } from "../accounts/accounts.ts";
import {
  checkRefundsBeforeSending,
  deleteAllCreditRequests,
  recoverReceipts,
  reconcilePayments,
  type ReconciliationResult,
  type RecoveredReceipts,
} from "../billing/billing.ts";
import { deleteAllInvitations } from "../family/family.ts";
import { endAllOperatorAccess, MOVES_NOTHING, type Verb } from "../operator/operator.ts";
import type { Context } from "../context.ts";
import { AppError } from "../platform/app-error.ts";
import {
  allowLongStatements,
  insertRestore,
  newestRecord,
  restoreInProgress,
  endRestore,
  storeReceiptsAbove,
  type Restore,
} from "./restore.store.ts";
import { recoverCalls, type RecoveredCalls, type VoiceRecords } from "../calls/calls.ts";
import { verifyLedger, type LedgerDrift } from "../ledger/ledger.ts";

export { refuseWhileClosed, watchDoors, type Doors } from "./doors.ts";

/** A checkout may be paid long after its row was written, and clocks differ. */
const MARGIN_MS = DAY_MS;
/** An event of a call may be delivered a quarter of an hour late. */
const EVENT_MARGIN_MS = 60 * 60_000;

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

export interface RestoreCheck {
  readonly restore: Restore;
  readonly payments: ReconciliationResult;
  readonly receipts: RecoveredReceipts;
  /** Null if the voice provider keeps no events. */
  readonly calls: RecoveredCalls | null;
  readonly drift: readonly LedgerDrift[];
  /** Whether everything agrees, so that the doors are open now. */
  readonly opened: boolean;
}

/**
 * Brings back from the payment and the voice provider what the restored database has forgotten, compares, and opens the doors if
 * everything agrees. Payments come first, because calls were made with them. Can be repeated.
 * @returns null if no restore is in progress
 * @throws errors of the providers or the database
 */
export async function checkRestore(ctx: Context, voice: VoiceRecords): Promise<RestoreCheck | null> {
  const { db } = ctx.handle;
  const restore = await restoreInProgress(db);
  if (restore === undefined) return null;
  const from = new Date(restore.known_until.getTime() - MARGIN_MS);
  const to = new Date(ctx.clock.now().getTime() + MARGIN_MS);
  const payments = await reconcilePayments(ctx, { from, to, openDisputes: true });
  const receipts = await recoverReceipts(ctx, { from, above: restore.receipts_above });
  await storeReceiptsAbove(db, restore.id, receipts.above);
  const calls = await recoverCalls(ctx, voice, new Date(restore.known_until.getTime() - EVENT_MARGIN_MS));
  const drift = await verifyLedger(db);
  const opened = payments.differences === 0 && drift.length === 0;
  if (opened) await endRestore(db, restore.id, ctx.clock.now());
  return { restore, payments, receipts, calls, drift, opened };
}

/**
 * Opens the doors by an operator's decision although differences remain, which are settled afterwards one by one. Before a check, receipt
 * numbers could be given twice.
 */
const open: Verb<"open-doors", void> = {
  plan: async (tx, ctx) => {
    const restore = await restoreInProgress(tx);
    if (restore === undefined || restore.receipts_above === null)
      throw new AppError("conflict", { reason: "operator.restore_unchecked" });
    return {
      ...{ customerId: null, subject: restore.id, moves: MOVES_NOTHING },
      run: async () => ({ result: await endRestore(tx, restore.id, ctx.clock.now()) }),
    };
  },
  respond: () => undefined,
};

export const restoreVerbs = { "open-doors": open };
