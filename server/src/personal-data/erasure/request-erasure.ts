import { DAY_MS } from "@farline/domain/durations.ts";
import { ERASURE_GRACE_DAYS, type ErasureObstacle } from "@farline/contract/constants.ts";
import type { ErasureResponse } from "@farline/contract/personal-data/erasure.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Reason } from "@farline/texts/reason.ts";
import { MOVES_NOTHING, recordOperation } from "../../operator/operator.ts";
import {
  endAccess,
  findCustomer,
  insertSecurityEvent,
  lockCustomer,
  type requestOrigin,
  storeClosing,
} from "../../accounts/accounts.ts";
import { endCardAccess, readWithdrawable } from "../../billing/billing.ts";
import { endCallAccess } from "../../calls/calls.ts";
import { enqueueMail } from "../../mail/mail.ts";
import { AppError } from "../../platform/app-error.ts";
import { endDownloadTickets } from "../../platform/http/download-ticket.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { keptGroups } from "../personal-tables.ts";
import { type ClosingAccount, obstacleOfRequest } from "./decide-obstacle.ts";
import { deleteErasure, findErasure, insertErasure, readOpenBusiness } from "./erasure.store.ts";
import type { Context } from "../../context.ts";

/** The refusal for each obstacle, for customers and operators. */
export const REFUSALS: Readonly<Record<ErasureObstacle, Reason>> = {
  frozen: "erasure_blocked_by_lock",
  live_call: "erasure_blocked_by_call",
  withdrawable_credit: "erasure_blocked_by_credit",
  debt: "erasure_blocked_by_debt",
  pending_payment: "erasure_blocked_by_payment",
  open_refund: "erasure_blocked_by_refund",
  open_dispute: "erasure_blocked_by_dispute",
  open_request: "erasure_blocked_by_request",
  credit: "credit_changed",
};

/** Reads what an erasure depends on. Without locks, for display: it is decided again when the account is erased. */
export async function readClosingAccount(ctx: Context, customerId: string, tx: Tx = ctx.handle.db): Promise<ClosingAccount> {
  const business = await readOpenBusiness(tx, customerId, ctx.clock.now());
  const { balanceMicros, debtMicros } = await ctx.ledger.balance(tx, customerId);
  // Credit that a card refused to take back may be forfeited, or the account could never be erased.
  const { reliableMicros } = await readWithdrawable(tx, ctx, customerId);
  return { business, balanceMicros, debtMicros, withdrawableMicros: reliableMicros };
}

/** The state of a customer's erasure, and the credit that it would forfeit. */
export async function readErasure(ctx: Context, customerId: string): Promise<ErasureResponse> {
  const [row, customer] = await Promise.all([findErasure(ctx.handle.db, customerId), findCustomer(ctx.handle.db, customerId)]);
  const account = await readClosingAccount(ctx, customerId);
  const { balanceMicros, withdrawableMicros } = account;
  return {
    erasure: {
      at: customer?.closesAt?.toISOString() ?? null,
      begun: row !== undefined && row.begun_at !== null,
      obstacle: row === undefined ? obstacleOfRequest(account) : row.blocked_by,
      withdrawable: toDecimalString(withdrawableMicros),
      forfeited: toDecimalString(balanceMicros - withdrawableMicros),
      kept: keptGroups(),
    },
  };
}

/** A customer's or operator's request to erase an account. */
interface ErasureOrder {
  readonly customerId: string;
  /** Credit to forfeit; null for all of it. */
  readonly forfeitedMicros: bigint | null;
  readonly from: ReturnType<typeof requestOrigin> | null;
  /** The operator's reason; null for the customer's own request. */
  readonly reason: string | null;
}

/**
 * Closes an account to calls and payments, signs out all devices, and mails its owner when it will be erased and how to
 * cancel. Idempotent.
 * @throws AppError erasure_blocked with the reason; not_found
 */
export async function requestErasure(ctx: Context, order: ErasureOrder): Promise<{ eraseAt: Date }> {
  const { customerId, from } = order;
  const operator = ctx.actor.kind === "operator" ? ctx.actor.name : null;
  const at = ctx.clock.now();
  const eraseAt = new Date(at.getTime() + ERASURE_GRACE_DAYS * DAY_MS);
  const done = await ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const customer = await findCustomer(tx, customerId);
    if (customer === undefined) throw new AppError("not_found", { reason: "account_gone" });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "erase-account",
      customerId,
      subject: null,
      reason: order.reason ?? "",
    });
    if (customer.closesAt !== null) return customer.closesAt;
    const account = await readClosingAccount(ctx, customerId, tx);
    refuse(account, order.forfeitedMicros);
    await insertErasure(tx, { customerId, at, eraseAt, operator, givenUpMicros: account.balanceMicros });
    await storeClosing(tx, customerId, eraseAt);
    await endAccess(tx, { customerId, exceptSession: null, exceptBrowser: null }, { by: "account_closed", at });
    await endDownloadTickets(tx, customerId);
    await endOutsideAccess(tx, { customerId, at, withCards: false });
    await insertSecurityEvent(tx, { customerId, kind: "erasure_requested", from, at });
    const { name, email, language } = customer;
    const data = { name, at: eraseAt.toISOString() };
    const key = `account_closing ${customerId} ${at.getTime()}`;
    await enqueueMail(tx, { template: "account_closing", data, to: email, language, key, at });
    return eraseAt;
  });
  ctx.live.publish(customerId, { type: "account" });
  return { eraseAt: done };
}

/** @throws AppError erasure_blocked */
function refuse(account: ClosingAccount, forfeitedMicros: bigint | null): void {
  const obstacle = obstacleOfRequest(account);
  if (obstacle !== null) throw new AppError("erasure_blocked", { reason: REFUSALS[obstacle] });
  if (forfeitedMicros !== null && forfeitedMicros !== account.balanceMicros)
    throw new AppError("erasure_blocked", { reason: REFUSALS.credit });
}

/** Cancels an erasure. @throws AppError conflict if there is none, or it has begun */
export async function cancelErasure(
  ctx: Context,
  { customerId, from, reason }: Pick<ErasureOrder, "customerId" | "from" | "reason">,
): Promise<void> {
  await ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    if (!(await deleteErasure(tx, customerId))) throw new AppError("conflict", { reason: "erasure_not_open" });
    await storeClosing(tx, customerId, null);
    await insertSecurityEvent(tx, { customerId, kind: "erasure_called_off", from, at: ctx.clock.now() });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "keep-account",
      customerId,
      subject: null,
      reason: reason ?? "",
    });
  });
  ctx.live.publish(customerId, { type: "account" });
}

/**
 * Ends an account's ability to call and pay: voice credentials, caller ids, automatic top-up.
 * @param withCards also removes saved cards, which stay while the erasure can still be cancelled
 */
export async function endOutsideAccess(
  tx: Transaction,
  { customerId, at, withCards }: { customerId: string; at: Date; withCards: boolean },
): Promise<void> {
  await endCallAccess(tx, { customerId, firstProof: withCards, at });
  await endCardAccess(tx, { customerId, firstProof: withCards, at });
}
