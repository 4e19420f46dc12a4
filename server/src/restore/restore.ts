import { setTimeout as pause } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import type { Logger } from "pino";
import { endAllAccess } from "../accounts/accounts.ts";
import {
  checkRefundsBeforeSending,
  deleteAllCreditRequests,
  reconcilePayments,
  type ReconciliationResult,
  type RecoveredReceipts,
  recoverReceipts,
} from "../billing/billing.ts";
import { deleteAllInvitations } from "../family/family.ts";
import { endAllOperatorAccess, type Verb, CONCERNS_NOBODY } from "../operator/operator.ts";
import type { Context } from "../context.ts";
import { AppError } from "../platform/app-error.ts";
import {
  allowLongStatements,
  endRestore,
  insertRestore,
  newestRecord,
  type Restore,
  restoreInProgress,
  storeReceiptsAbove,
} from "./restore.store.ts";
import { recoverCalls, type RecoveredCalls, type VoiceRecords } from "../calls/calls.ts";
import { type LedgerDrift, verifyLedger } from "../ledger/ledger.ts";
import type { Database } from "../platform/database/database.ts";
import { PRICE_ROUTES } from "../rates/rates.ts";
import type { App } from "../platform/http/http.ts";

/** A checkout may be paid long after its row was written, and clocks differ. */
const MARGIN_MS = DAY_MS;

/** An event of a call may be delivered a quarter of an hour late. */
const EVENT_MARGIN_MS = 60 * 60_000;

const READ_EVERY_MS = 2_000;

const RETRY_AFTER_SECONDS = 60;

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const OPERATORS = "/api/operator/";

/** Rights of operators that move money. */
const MONEY_RIGHTS: ReadonlySet<OperatorRight> = new Set(["refund", "money", "promotions"]);

/** Whether the service takes orders. It does not while its database is being restored and the books may lack something. */
export interface Intake {
  readonly closed: boolean;
  close(): Promise<void>;
}

/**
 * Closes intake of a database that was just restored from a back-up. What was ended or used up after the back-up would be valid again,
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
  /** Whether everything agrees, so that intake is open now. */
  readonly opened: boolean;
}

/**
 * Brings back from the payment and the voice provider what the restored database has forgotten, compares, and reopens intake if
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
 * Reopens intake by an operator's decision although differences remain, which are settled afterwards one by one. Before a check, receipt
 * numbers could be given twice.
 */
const open: Verb<"open-intake", void> = {
  plan: async (tx, ctx) => {
    const restore = await restoreInProgress(tx);
    if (restore === undefined || restore.receipts_above === null)
      throw new AppError("conflict", { reason: "operator.restore_unchecked" });
    return {
      ...CONCERNS_NOBODY,
      subject: restore.id,
      run: async () => ({ result: await endRestore(tx, restore.id, ctx.clock.now()) }),
    };
  },
  respond: () => undefined,
};

export const restoreVerbs = { "open-intake": open };

/** Reads whether a restore is in progress, now and every two seconds. If it cannot be read, the latest answer counts. */
export async function watchIntake({ db, log }: { db: Database; log: Logger }): Promise<Intake> {
  const stop = new AbortController();
  const isClosed = async () => (await restoreInProgress(db)) !== undefined;
  let closed = await isClosed();
  if (closed) log.warn("a restore is in progress: calls, payments and all other changes are refused");
  const watch = async () => {
    while (!stop.signal.aborted) {
      await pause(READ_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      const now = await isClosed().catch((error: unknown) => {
        log.warn({ err: error }, "could not read whether a restore is in progress");
        return closed;
      });
      if (now !== closed) log.warn(now ? "a restore is in progress: intake is closed" : "the restore is over: intake is open");
      closed = now;
    }
  };
  const done = watch();
  return {
    get closed() {
      return closed;
    },
    async close() {
      stop.abort();
      await done;
    },
  };
}

/**
 * Refuses every request that changes something while intake is closed. Providers' events are accepted, because they only report what
 * has happened, and operators can sign in and do what moves no money. Call it before adding routes.
 */
export function refuseWhileClosed(app: App, intake: Pick<Intake, "closed">): void {
  app.addHook("onRequest", async (request) => {
    if (!intake.closed || READING.has(request.method)) return;
    const { url = "", config } = request.routeOptions;
    if (config.access === "provider" || PRICE_ROUTES.has(url)) return;
    if (url.startsWith(OPERATORS) && !movesMoney(config.right)) return;
    throw new AppError("unavailable", { reason: "restoring", retryAfterSeconds: RETRY_AFTER_SECONDS });
  });
}

function movesMoney(right: OperatorRight | undefined): boolean {
  return right !== undefined && MONEY_RIGHTS.has(right);
}
