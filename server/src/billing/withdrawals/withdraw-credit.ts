import { RETURNABLE_DAYS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars, MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import type { Params, Reason } from "@farline/texts/reason.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import { lockParties } from "../record/lock-parties.ts";
import {
  lockPayment,
  lockPaymentsOf,
  lockReturnablePayments,
  readPaymentLeft,
  readReturnablePayments,
  type Payer,
  type PaymentLeft,
} from "../record/payment.store.ts";
import { placeRefund } from "../refunds/place-refund.ts";
import { debitRefund } from "../refunds/debit-refund.ts";
import { canBeReturned, readStanding, splitOverPayments, withdrawable } from "../record/withdrawable.ts";
import {
  findWithdrawalByRequestKey,
  insertWithdrawal,
  readWithdrawalParts,
  undone,
  withdrawalTimes,
  type WithdrawalPart,
  type WithdrawalRow,
} from "./withdrawal.store.ts";
import type { Context } from "../../context.ts";

/** Payments per withdrawal. */
const MAX_PAYMENTS = 200;
export const MIN_WITHDRAWAL_MICROS: Micros = MICROS_PER_DOLLAR;
/** Limited because each refund costs a fee. */
const WITHDRAWALS_PER_DAY = 3;

/** The query for a customer's returnable payments. */
function returnable(customerId: string, now: Date): { customerId: string; paidSince: Date; limit: number } {
  return { customerId, paidSince: new Date(now.getTime() - RETURNABLE_DAYS * DAY_MS), limit: MAX_PAYMENTS };
}

/**
 * Returns unused paid credit to the cards it was bought with, newest payment first, because calls use the oldest credit first. The
 * money leaves the ledger before the provider sends it, and is restored if a card refuses it. Repeating the request key returns the
 * same withdrawal.
 * @param request.bonusShownMicros the most that may go beyond the amount, as the customer saw it; null for any
 * @throws AppError amount_invalid, account_frozen, rate_limited; conflict if the key was used for another amount, or if more would go
 */
export async function withdrawCredit(
  ctx: Context,
  payer: Pick<Payer, "id">,
  request: { amountMicros: Micros; bonusShownMicros: Micros | null; requestKey: string | null },
): Promise<WithdrawalRow> {
  const withdrawal = await ctx.transaction((tx) => bookWithdrawal(tx, ctx, { customerId: payer.id, ...request }));
  await placeRefunds(ctx, withdrawal);
  ctx.live.publish(payer.id, { type: "balance" });
  ctx.live.publish(payer.id, { type: "transactions" });
  return withdrawal;
}

/** What a withdrawal takes from an account, in micro-dollars: balance before = amount + bonus + spent bonus + balance after. */
interface WithdrawalFigures {
  readonly beforeMicros: Micros;
  /** The unspent bonus that came with the money. */
  readonly bonusMicros: Micros;
  /** Paid credit that replaces bonus already spent. */
  readonly spentBonusMicros: Micros;
  readonly afterMicros: Micros;
}

/**
 * What a withdrawal would do: it is booked as `withdrawCredit` books it, and undone.
 * @throws AppError amount_invalid, account_frozen, rate_limited
 */
export async function quoteWithdrawal(
  ctx: Context,
  payer: Pick<Payer, "id">,
  amountMicros: Micros,
): Promise<WithdrawalFigures & { readonly parts: readonly WithdrawalPart[] }> {
  const request = { customerId: payer.id, amountMicros, bonusShownMicros: null, requestKey: null };
  return ctx.transaction((tx) =>
    undone(tx, async () => {
      await lockPaymentsOf(tx, payer.id);
      const { withdrawal, figures } = await bookNew(tx, ctx, request);
      return { ...figures, parts: await readWithdrawalParts(tx, [withdrawal.id]) };
    }),
  );
}

/**
 * Returns all own credit that a guest has left of one payment to its card. What other payments bought stays, because it may still be given.
 * No effect if nothing is left, or while the guest is locked.
 */
export async function returnToCard(ctx: Context, own: { readonly payerId: string; readonly paymentId: string }): Promise<void> {
  const withdrawal = await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, own.payerId);
    const left = await readPaymentLeft(tx, await lockPayment(tx, own.paymentId));
    const standing = await readStanding(tx, ctx.ledger, own.payerId, await lockParties(tx, ctx, [own.payerId]));
    const { maxMicros: amountMicros } = withdrawable(standing, [left]);
    const isOpen = (await findCustomer(tx, own.payerId))?.status === "active";
    if (!isOpen || amountMicros === 0n || left.payment.return_failed) return null;
    return debitWithdrawal(tx, ctx, { customerId: own.payerId, amountMicros, requestKey: null }, [left]);
  });
  if (withdrawal !== null) await placeRefunds(ctx, withdrawal);
}

async function placeRefunds(ctx: Context, { id }: WithdrawalRow): Promise<void> {
  const refunds = await readWithdrawalParts(ctx.handle.db, [id]);
  await Promise.all(refunds.map((refund) => placeRefund(ctx, refund.refund_id)));
}

interface WithdrawalOrder {
  readonly customerId: string;
  readonly amountMicros: Micros;
  readonly requestKey: string | null;
}

interface WithdrawalRequest extends WithdrawalOrder {
  readonly bonusShownMicros: Micros | null;
}

async function bookWithdrawal(tx: Transaction, ctx: Context, request: WithdrawalRequest): Promise<WithdrawalRow> {
  const { customerId, amountMicros, requestKey } = request;
  await lockPaymentsOf(tx, customerId);
  const known = requestKey === null ? undefined : await findWithdrawalByRequestKey(tx, customerId, requestKey);
  if (known !== undefined) {
    if (known.amount_micros === amountMicros) return known;
    throw new AppError("conflict", { reason: "repeated_with_other_amount" });
  }
  return (await bookNew(tx, ctx, request)).withdrawal;
}

/** Requires the lock of the customer's payments. @returns the withdrawal and what it took */
async function bookNew(
  tx: Transaction,
  ctx: Context,
  request: WithdrawalRequest,
): Promise<{ withdrawal: WithdrawalRow; figures: WithdrawalFigures }> {
  const { customerId, amountMicros, bonusShownMicros } = request;
  if (amountMicros === 0n) throw invalid("withdraw_at_least", { min: formatDollars(MIN_WITHDRAWAL_MICROS) });
  const now = ctx.clock.now();
  await refuseTooMany(tx, ctx, customerId);
  const locked = await lockReturnablePayments(tx, returnable(customerId, now));
  const payments = locked.filter(({ payment }) => canBeReturned(payment));
  const standing = await readStanding(tx, ctx.ledger, customerId, await lockParties(tx, ctx, [customerId]));
  // Not by what the request's session said: a slow request would outlive the freeze.
  if ((await findCustomer(tx, customerId))?.status === "frozen") throw new AppError("account_frozen");
  const { maxMicros: max } = withdrawable(standing, payments);
  if (amountMicros > max)
    throw max === 0n ? invalid("nothing_to_withdraw") : invalid("withdrawable_at_most", { max: formatDollars(max) });
  if (amountMicros < MIN_WITHDRAWAL_MICROS && amountMicros !== max)
    throw invalid("withdraw_at_least", { min: formatDollars(MIN_WITHDRAWAL_MICROS) });
  const withdrawal = await debitWithdrawal(tx, ctx, request, payments);
  const after = await ctx.ledger.balance(tx, customerId);
  const { balanceMicros: beforeMicros, bonusMicros: bonusBeforeMicros } = standing.balance;
  const bonusMicros = bonusBeforeMicros - after.bonusMicros;
  const spentBonusMicros = beforeMicros - amountMicros - bonusMicros - after.balanceMicros;
  if (bonusShownMicros !== null && bonusMicros + spentBonusMicros > bonusShownMicros)
    throw new AppError("conflict", { reason: "withdrawal_changed" });
  return { withdrawal, figures: { beforeMicros, bonusMicros, spentBonusMicros, afterMicros: after.balanceMicros } };
}

async function debitWithdrawal(
  tx: Transaction,
  ctx: Context,
  { customerId, amountMicros, requestKey }: WithdrawalOrder,
  payments: readonly PaymentLeft[],
): Promise<WithdrawalRow> {
  const withdrawal = {
    id: uuidv7(),
    customer_id: customerId,
    amount_micros: amountMicros,
    request_key: requestKey,
    created_at: ctx.clock.now(),
  };
  await insertWithdrawal(tx, withdrawal);
  for (const share of splitOverPayments(amountMicros, payments))
    await debitRefund(tx, ctx, share.payment, {
      origin: "withdrawal",
      amountMicros: share.amountMicros,
      withdrawalId: withdrawal.id,
    });
  return withdrawal;
}

async function refuseTooMany(tx: Tx, ctx: Context, customerId: string): Promise<void> {
  const { limitsScale } = ctx.config;
  if (limitsScale === 0) return;
  const now = ctx.clock.now().getTime();
  const times = await withdrawalTimes(tx, customerId, new Date(now - DAY_MS));
  const oldest = times[Math.ceil(WITHDRAWALS_PER_DAY * limitsScale) - 1];
  if (oldest === undefined) return;
  throw new AppError("rate_limited", {
    reason: "withdrawals_used",
    retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + DAY_MS - now) / 1000)),
  });
}

function invalid(reason: Reason, params?: Params): AppError {
  return new AppError("amount_invalid", { reason, params, field: "amount" });
}

/** The amounts that a customer may and may not withdraw. */
interface Withdrawable {
  readonly maxMicros: Micros;
  readonly keptMicros: Micros;
  /** Unspent credit from payments whose method cannot be refunded, such as vouchers. */
  readonly notReturnableMicros: Micros;
  /** The part of `maxMicros` from payments without a failed refund. */
  readonly reliableMicros: Micros;
}

/** The amounts that a customer may withdraw now. Reads without locks, so they may change. */
export async function readWithdrawable(tx: Tx, { ledger, clock }: Context, customerId: string): Promise<Withdrawable> {
  const payments = await readReturnablePayments(tx, returnable(customerId, clock.now()));
  const standing = await readStanding(tx, ledger, customerId, await findInvitation(tx, customerId));
  const returnablePayments = payments.filter(({ payment }) => canBeReturned(payment));
  const { maxMicros, keptMicros } = withdrawable(standing, returnablePayments);
  const all = withdrawable(standing, payments).maxMicros;
  const reliableMicros = withdrawable(
    standing,
    returnablePayments.filter(({ payment }) => !payment.return_failed),
  ).maxMicros;
  return { maxMicros, keptMicros, notReturnableMicros: all > maxMicros ? all - maxMicros : 0n, reliableMicros };
}
