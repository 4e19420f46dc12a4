import type { ErasureObstacle } from "@farline/contract/constants.ts";
import { findCustomer, lockCustomer } from "../../accounts/accounts.ts";
import { deleteProviderCustomer } from "../../billing/billing.ts";
import { removeAllNumbers } from "../../calls/calls.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { shortenCallsOf } from "../shortening/shorten-numbers.store.ts";
import { obstacleOfErasure } from "./decide-obstacle.ts";
import { endOutsideAccess } from "./end-outside-access.ts";
import {
  beginErasure,
  eraseNumbersInLog,
  eraseRows,
  finishErasure,
  storeObstacle,
  takeDueErasures,
  type ErasureRow,
} from "./erasure.store.ts";
import { readLeavingAccount } from "./request-erasure.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 20;
/** A process that dies, or a provider that does not answer, is followed by another try. */
const TRY_AGAIN_MS = 10 * 60 * 1000;
const BLOCKED_FOR_MS = 6 * 60 * 60 * 1000;

/** The job that erases the accounts whose days of grace are over. */
export async function eraseAccounts(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const nextTryAt = new Date(now.getTime() + TRY_AGAIN_MS);
  for (const row of await takeDueErasures(ctx.handle.db, { now, nextTryAt, limit: MAX_PER_RUN })) {
    if (signal.aborted) return;
    try {
      await eraseAccount(ctx, row, signal);
    } catch (error) {
      ctx.log.warn({ err: error, customer: row.customer_id }, "an account could not be erased yet");
    }
  }
}

/** Each step may be repeated: a process may die between any two. */
async function eraseAccount(ctx: Context, row: ErasureRow, signal: AbortSignal): Promise<void> {
  const customerId = row.customer_id;
  if (!(await begin(ctx, row))) return;
  // While its names are still known here.
  await deleteProviderCustomer(ctx, customerId);
  await shortenCallsOf(ctx.handle.db, customerId, signal);
  const erased = await ctx.transaction((tx) => finish(tx, ctx, row));
  if (erased) ctx.log.info({ customer: customerId }, "account erased");
}

/** @returns false while something stands in the way, or if it was called off */
async function begin(ctx: Context, row: ErasureRow): Promise<boolean> {
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, row.customer_id);
    if (await isBlocked(tx, ctx, row)) return false;
    return beginErasure(tx, row.customer_id, ctx.clock.now());
  });
}

async function isBlocked(tx: Transaction, ctx: Context, row: ErasureRow): Promise<boolean> {
  const customerId = row.customer_id;
  const blockedBy: ErasureObstacle | null = obstacleOfErasure(await readLeavingAccount(ctx, customerId, tx), row.given_up_micros);
  if (blockedBy === null) return false;
  await storeObstacle(tx, customerId, { blockedBy, nextTryAt: new Date(ctx.clock.now().getTime() + BLOCKED_FOR_MS) });
  ctx.log.warn({ customer: customerId, blocked_by: blockedBy }, "an account cannot be erased yet");
  return true;
}

/** The last mail is written after the others were deleted; it drops the address when it is sent. */
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
