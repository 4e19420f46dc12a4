import { uuidv7 } from "uuidv7";
import type { OperatorContext } from "../context.ts";
import type { LockReason } from "@farline/contract/constants.ts";
import {
  closeFreezeReview,
  confirmAddress,
  findCustomer,
  findCustomerId,
  freezeCustomer,
  hasFreezeReview,
  isFrozenForPayment,
  lockStanding,
  sendVerification,
  signOutEverywhere,
  unfreezeCustomer,
} from "../accounts/accounts.ts";
import { requireMailed } from "../mail/mail.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import { lockMoneyOperations } from "./approval.store.ts";
import { MOVES_NOTHING, recordOperation } from "./operations.store.ts";
import { guardChange, moveMoney, readAloneLeft, resultOf, type Concern, type Moved, type Once } from "./second-operator.ts";

/** What customers read beside the amount. */
const CORRECTION = "Correction";

/** An operator's command on an account. */
export interface AccountOrder {
  /** Id or email address. */
  readonly customer: string;
  readonly reason: string;
}

/**
 * Freezes an account, which stops calls and payments.
 * @param order.because shown to the customer; the reason is only recorded
 * @returns false if it was already frozen. @throws AppError not_found
 */
export function freezeAccount(ctx: OperatorContext, order: AccountOrder & { because: LockReason }): Promise<boolean> {
  const { because, reason } = order;
  return onAccount(ctx, order, "freeze", (tx, customerId, at) => freezeCustomer(tx, { customerId, because, reason, at }));
}

/** An order to open a frozen account. */
export interface Unfreezing extends AccountOrder {
  /** Another operator's proposal to unfreeze it. */
  readonly confirms?: string;
}

/**
 * Unfreezes an account. @returns false if it was not frozen
 * @throws AppError not_found; conflict if a second operator is required, or this one may not confirm
 */
export async function unfreezeAccount(ctx: OperatorContext, order: Unfreezing): Promise<boolean> {
  return resultOf(await onCustomer(ctx, order.customer, (tx, customerId, at) => unfreeze(tx, ctx, { ...order, customerId, at })));
}

/**
 * Decides about an account that the service froze: unfreezes it, or keeps it frozen.
 * @throws AppError not_found; conflict if it was decided already, or if a second operator is required
 */
export async function decideReview(ctx: OperatorContext, order: AccountOrder & { verdict: "unfreeze" | "keep" }): Promise<void> {
  const { customer, reason, verdict } = order;
  const decided = await onCustomer(ctx, customer, async (tx, customerId, at): Promise<Moved<boolean>> => {
    await lockStanding(tx, customerId);
    if (!(await hasFreezeReview(tx, customerId)))
      throw new AppError("conflict", { reason: "operator.no_review", params: { customer } });
    if (verdict === "unfreeze") return unfreeze(tx, ctx, { customerId, reason, at });
    await closeFreezeReview(tx, customerId);
    await recordOperation(tx, ctx, { action: "keep-frozen", customerId, subject: null, reason, moves: MOVES_NOTHING });
    return { proposal: null, result: true };
  });
  resultOf(decided);
}

/**
 * Credit that was frozen because of a payment can be spent or withdrawn once the account is open: releasing more of it than an operator
 * may move alone takes a second one.
 */
async function unfreeze(
  tx: Transaction,
  ctx: OperatorContext,
  { customerId, reason, at, confirms }: Omit<Unfreezing, "customer"> & { customerId: string; at: Date },
): Promise<Moved<boolean>> {
  await lockMoneyOperations(tx);
  await lockStanding(tx, customerId);
  await ctx.ledger.lockAccounts(tx, [customerId]);
  const { availableMicros } = await ctx.ledger.balance(tx, customerId);
  const amountMicros = (await isFrozenForPayment(tx, customerId)) ? availableMicros : 0n;
  const concerns = await concernsAboutCredit(tx, ctx, { customerId, amountMicros });
  const moves = { amountMicros, customers: 1 };
  const change = { action: "unfreeze", customerId, subject: null, reason, confirms: confirms ?? null, concerns, moves } as const;
  return guardChange(tx, ctx, change, async () => ({ result: await unfreezeCustomer(tx, { customerId, reason, at }) }));
}

async function concernsAboutCredit(
  tx: Transaction,
  ctx: OperatorContext,
  { customerId, amountMicros }: { customerId: string; amountMicros: Micros },
): Promise<Concern[]> {
  const aloneMicros = await readAloneLeft(tx, ctx, customerId);
  if (amountMicros <= aloneMicros) return [];
  const text = `The account was frozen because of a payment, and $${formatDollars(amountMicros)} of its credit could be spent; one operator may release $${formatDollars(aloneMicros)}.`;
  return [{ kind: "frozen_credit", text }];
}

/**
 * Writes off a customer's debt.
 * @param order.confirms another operator's proposal to write off the same amount
 * @returns the micro-dollars written off; 0n if nothing is owed
 * @throws AppError not_found; conflict if a second operator is required, or this one may not confirm
 */
export async function writeOffDebt(ctx: OperatorContext, order: AccountOrder & { confirms?: string }): Promise<bigint> {
  const { confirms = null, reason } = order;
  const moved = await onCustomer(ctx, order.customer, async (tx, customerId, at): Promise<Moved<bigint>> => {
    const { debtMicros } = await ctx.ledger.balance(tx, customerId);
    if (debtMicros === 0n) return { proposal: null, result: 0n };
    const operation = {
      action: "write_off",
      customerId,
      subject: null,
      amountMicros: debtMicros,
      reason,
      confirms,
      once: null,
    } as const;
    return moveMoney(tx, ctx, operation, async () => {
      await ctx.ledger.credit(tx, {
        key: `write-off:${customerId}:${at.getTime()}`,
        customerId,
        kind: "write_off",
        amountMicros: debtMicros,
        referenceId: null,
        description: "Debt written off",
      });
      return { result: debtMicros };
    });
  });
  return resultOf(moved);
}

/** A correction of a customer's credit. */
export interface Adjustment extends AccountOrder, Once {
  /** Negative to take credit. */
  readonly amountMicros: Micros;
  /** Another operator's proposal of the same amount. */
  readonly confirms?: string;
}

/**
 * Adds or takes credit to correct a mistake. Taken credit never becomes a debt.
 * @returns the amount
 * @throws AppError not_found; validation_failed for no amount; conflict if more would be taken than is free, if the same was done within
 * the last hour, if a second operator is required, or if this one may not confirm
 */
export async function adjustCredit(ctx: OperatorContext, order: Adjustment): Promise<Micros> {
  const { amountMicros: signedMicros, confirms = null, reason, key, again } = order;
  if (signedMicros === 0n) throw new AppError("validation_failed", { reason: "amount_needed" });
  const isCredit = signedMicros > 0n;
  const amountMicros = isCredit ? signedMicros : -signedMicros;
  const action = isCredit ? "adjust" : "deduct";
  const moved = await onCustomer(ctx, order.customer, async (tx, customerId) => {
    const operation = { action, customerId, subject: null, amountMicros, reason, confirms, once: { key, again } } as const;
    return moveMoney(tx, ctx, operation, async () => {
      // A proposal is carried out once, however often it is confirmed.
      const posting = { key: `adjust:${confirms ?? uuidv7()}`, customerId, amountMicros, referenceId: null };
      if (isCredit) await ctx.ledger.credit(tx, { ...posting, kind: "adjustment", description: CORRECTION });
      else await takeCredit(tx, ctx, posting);
      return { result: amountMicros };
    });
  });
  return resultOf(moved);
}

async function takeCredit(
  tx: Transaction,
  { ledger }: OperatorContext,
  posting: { key: string; customerId: string; amountMicros: Micros; referenceId: null },
): Promise<void> {
  await ledger.lockAccounts(tx, [posting.customerId]);
  const { availableMicros } = await ledger.balance(tx, posting.customerId);
  if (posting.amountMicros > availableMicros)
    throw new AppError("conflict", { reason: "operator.deduct_left", params: { left: formatDollars(availableMicros) } });
  await ledger.reverse(tx, { ...posting, kind: "adjustment", description: CORRECTION });
}

/** Signs a customer out on every device. @throws AppError not_found */
export async function endCustomerSessions(ctx: OperatorContext, order: AccountOrder): Promise<void> {
  await onAccount(ctx, order, "end-sessions", (tx, customerId, at) =>
    signOutEverywhere(tx, { customerId, exceptSession: null, exceptBrowser: null, from: null, at }),
  );
}

/** Confirms a customer's address. @returns false if it was confirmed already. @throws AppError not_found */
export function confirmCustomerAddress(ctx: OperatorContext, order: AccountOrder): Promise<boolean> {
  return onAccount(ctx, order, "confirm-address", (tx, customerId, at) => confirmAddress(tx, { customerId, at }));
}

/**
 * Mails the customer a new link to confirm their address.
 * @returns false if it was confirmed already
 * @throws AppError not_found
 */
export function resendVerification(ctx: OperatorContext, order: AccountOrder): Promise<boolean> {
  return onAccount(ctx, order, "resend-verification", async (tx, customerId, at) => {
    const customer = await findCustomer(tx, customerId);
    if (customer === undefined || customer.emailVerified) return false;
    requireMailed(await sendVerification(tx, customer, at, { by: "operator" }));
    return true;
  });
}

function onAccount<Result>(
  ctx: OperatorContext,
  { customer, reason }: AccountOrder,
  action: string,
  run: (tx: Transaction, customerId: string, at: Date) => Promise<Result>,
): Promise<Result> {
  return onCustomer(ctx, customer, async (tx, customerId, at) => {
    const done = await run(tx, customerId, at);
    await recordOperation(tx, ctx, { action, customerId, subject: null, reason, moves: MOVES_NOTHING });
    return done;
  });
}

async function onCustomer<Result>(
  ctx: OperatorContext,
  customer: string,
  run: (tx: Transaction, customerId: string, at: Date) => Promise<Result>,
): Promise<Result> {
  const customerId = await findCustomerId(ctx.handle.db, customer);
  if (customerId === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
  const at = ctx.clock.now();
  const result = await ctx.transaction((tx) => run(tx, customerId, at));
  ctx.live.publish(customerId, { type: "account" });
  ctx.live.publish(customerId, { type: "balance" });
  return result;
}
