import type { ErasureObstacle } from "@farline/contract/constants.ts";
import { findCustomer, lockCustomer } from "../../accounts/accounts.ts";
import { deleteProviderCustomer } from "../../billing/billing.ts";
import { removeAllNumbers } from "../../calls/calls.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Transaction } from "../../platform/database/database.ts";
import {
  shortenCallsOf,
  beginErasure,
  eraseNumbersInLog,
  eraseRows,
  finishErasure,
  storeObstacle,
  claimDueErasures,
  type ErasureRow,
} from "./erasure.store.ts";
import { obstacleOfErasure } from "./decide-obstacle.ts";
import { endOutsideAccess, readClosingAccount } from "./request-erasure.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 20;
/** Delay before a retry after a crash or a provider failure. */
const TRY_AGAIN_MS = 10 * 60 * 1000;
const BLOCKED_FOR_MS = 6 * 60 * 60 * 1000;

/** The job that erases the accounts whose grace period is over. */
export async function eraseAccounts(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const nextTryAt = new Date(now.getTime() + TRY_AGAIN_MS);
  for (const row of await claimDueErasures(ctx.handle.db, { now, nextTryAt, limit: MAX_PER_RUN })) {
    if (signal.aborted) return;
    try {
      await eraseAccount(ctx, row, signal);
    } catch (error) {
      ctx.log.warn({ err: error, customer: row.customer_id }, "an account could not be erased yet");
    }
  }
}

/** Each step is idempotent, because the process may die between any two. */
async function eraseAccount(ctx: Context, row: ErasureRow, signal: AbortSignal): Promise<void> {
  const customerId = row.customer_id;
  if (!(await begin(ctx, row))) return;
  // While the provider's ids are still stored.
  await deleteProviderCustomer(ctx, customerId);
  await shortenCallsOf(ctx.handle.db, customerId, signal);
  const erased = await ctx.transaction((tx) => finish(tx, ctx, row));
  if (erased) ctx.log.info({ customer: customerId }, "account erased");
}

/** @returns false if it is blocked or was cancelled */
async function begin(ctx: Context, row: ErasureRow): Promise<boolean> {
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, row.customer_id);
    if (await isBlocked(tx, ctx, row)) return false;
    return beginErasure(tx, row.customer_id, ctx.clock.now());
  });
}

async function isBlocked(tx: Transaction, ctx: Context, row: ErasureRow): Promise<boolean> {
  const customerId = row.customer_id;
  const blockedBy: ErasureObstacle | null = obstacleOfErasure(await readClosingAccount(ctx, customerId, tx), row.given_up_micros);
  if (blockedBy === null) return false;
  await storeObstacle(tx, customerId, { blockedBy, nextTryAt: new Date(ctx.clock.now().getTime() + BLOCKED_FOR_MS) });
  ctx.log.warn({ customer: customerId, blocked_by: blockedBy }, "an account cannot be erased yet");
  return true;
}

/** Queues the last mail after deleting the others. Its address is deleted when it is sent. */
async function finish(tx: Transaction, ctx: Context, row: ErasureRow): Promise<boolean> {
  const customerId = row.customer_id;
  await lockCustomer(tx, customerId);
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined || (await isBlocked(tx, ctx, row))) return false;
  const at = ctx.clock.now();
  await ctx.ledger.forfeit(tx, {
    key: `forfeit:${customerId}`,
    customerId,
    description: "Credit given up with the account",
  });
  await endOutsideAccess(tx, { customerId, at, withCards: true });
  await eraseNumbersInLog(tx, customerId, await removeAllNumbers(tx, customerId, at));
  await eraseRows(tx, customerId);
  await finishErasure(tx, customerId, at);
  const { name, email, language } = customer;
  const key = `account_erased ${customerId}`;
  await enqueueMail(tx, { template: "account_erased", data: { name }, to: email, language, key, at });
  return true;
}
