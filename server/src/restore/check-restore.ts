import { recoverCalls, type RecoveredCalls, type VoiceRecords } from "../calls/calls.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { recoverReceipts, reconcilePayments, type ReconciliationResult, type RecoveredReceipts } from "../billing/billing.ts";
import { verifyLedger, type LedgerDrift } from "../ledger/ledger.ts";
import type { Context } from "../context.ts";
import { endRestore, restoreInProgress, storeReceiptsAbove, type Restore } from "./restore.store.ts";

/** A checkout may be paid long after its row was written, and clocks differ. */
const MARGIN_MS = DAY_MS;
/** An event of a call may be delivered a quarter of an hour late. */
const EVENT_MARGIN_MS = 60 * 60_000;

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
