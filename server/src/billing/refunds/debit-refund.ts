import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { findCustomer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { returnReferralReward, revokeReferralReward } from "../../promotions/promotions.ts";
import type { RefundOrigin, RefundStatus } from "../record/billing.tables.ts";
import { takeBackGift } from "../credit-for-others/book-gift.ts";
import { toCents } from "../record/cents.ts";
import { bonusShare } from "../record/withdrawable.ts";
import { addReturnedAmounts, type Payment } from "../record/payment.store.ts";
import { insertRefund, type Refund } from "./refund.store.ts";
import type { Context } from "../../context.ts";

/** If the process crashes before it sends the refund, the job sends it after this time. */
const FIRST_TRY_BY_JOB_MS = 60_000;

export interface Booked {
  readonly payment: Payment;
  /** Whether the customer's balance changed. */
  readonly moved: boolean;
}

export interface RefundToDebit {
  /** Of a refund that a restored database has forgotten; otherwise a new one. */
  readonly id?: string;
  readonly origin: RefundOrigin;
  readonly amountMicros: Micros;
  readonly withdrawalId?: string;
  /** The refund at the provider; absent if it is not sent yet. */
  readonly atProvider?: {
    readonly id: string;
    readonly status: Exclude<RefundStatus, "ordered" | "failed">;
    readonly pendingReason?: string | null;
  };
}

/**
 * Debits a refund from the ledger, with its share of the payment's bonus, and records it, always before the provider sends the money.
 * Requires the locks of the payment and of `lockParties`.
 * @returns the updated payment and its refund
 * @throws AppError insufficient_credit for a withdrawal above the withdrawable amount
 */
export async function debitRefund(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  details: RefundToDebit,
): Promise<{ payment: Payment; refund: Refund }> {
  const { id = uuidv7(), amountMicros, origin, atProvider } = details;
  // Nothing is booked that the provider could not send.
  toCents(amountMicros);
  if (origin !== "withdrawal") await takeBackGift(tx, ctx, payment, { amountMicros, cause: `refund:${id}` });
  await revokePaymentReward(tx, ctx, payment, { movesMicros: amountMicros, cause: `refund:${id}` });
  const posting = { key: `refund:${id}`, customerId: payment.customer_id, amountMicros, referenceId: payment.id };
  if (origin === "withdrawal" && atProvider === undefined) {
    await ctx.ledger.withdraw(tx, { ...posting, description: "Withdrawal" });
  } else {
    const { shortfallMicros } = await ctx.ledger.reverse(tx, {
      ...posting,
      kind: "refund",
      description: "Refund",
    });
    if (shortfallMicros > 0n)
      ctx.log.warn({ payment_id: payment.id, owed_micros: String(shortfallMicros) }, "refund of spent credit");
  }
  const bonusMicros = await debitBonus(tx, ctx, payment, { key: `refund-bonus:${id}`, movesMicros: amountMicros });
  const now = ctx.clock.now();
  const refund = await insertRefund(tx, {
    id,
    payment_id: payment.id,
    customer_id: payment.customer_id,
    withdrawal_id: details.withdrawalId ?? null,
    origin,
    amount_micros: amountMicros,
    bonus_micros: bonusMicros,
    status: atProvider?.status ?? "ordered",
    provider_refund_id: atProvider?.id ?? null,
    failure: null,
    pending_reason: atProvider?.pendingReason ?? null,
    next_try_at: atProvider?.status === "succeeded" ? null : new Date(now.getTime() + FIRST_TRY_BY_JOB_MS),
    created_at: now,
    settled_at: atProvider?.status === "succeeded" ? now : null,
  });
  return {
    payment: await addReturnedAmounts(tx, payment.id, { refundedMicros: amountMicros, bonusReturnedMicros: bonusMicros }),
    refund,
  };
}

/** Revokes the invitation's reward for a payment if too little of it remains. */
export async function revokePaymentReward(
  tx: Transaction,
  { ledger, clock }: Context,
  payment: Payment,
  { movesMicros, cause }: { movesMicros: Micros; cause: string },
): Promise<void> {
  const { id: paymentId, customer_id: customerId } = payment;
  await revokeReferralReward(tx, ledger, {
    paymentId,
    customerId,
    leftMicros: payment.stayed_micros - movesMicros,
    cause,
    now: clock.now(),
  });
}

/**
 * Takes back the share of the payment's own bonus for an amount that is returned to the card. A spent part is taken from paid credit.
 * @returns the amount that was available, in micro-dollars
 */
export async function debitBonus(
  tx: Tx,
  ctx: Context,
  payment: Payment,
  { key, movesMicros }: { key: string; movesMicros: Micros },
): Promise<Micros> {
  const amountMicros = bonusShare(payment, movesMicros);
  if (amountMicros === 0n) return 0n;
  const { shortfallMicros } = await ctx.ledger.returnBonus(tx, {
    key,
    customerId: payment.customer_id,
    referenceId: payment.id,
    amountMicros,
    description: "Bonus taken back",
  });
  return amountMicros - shortfallMicros;
}

/** Returns the invitation's revoked reward if enough of the payment is back. */
export async function returnPaymentReward(
  tx: Transaction,
  { ledger, clock }: Context,
  { id: paymentId, customer_id: customerId, stayed_micros: leftMicros }: Payment,
): Promise<void> {
  await returnReferralReward(tx, ledger, { paymentId, customerId, leftMicros, now: clock.now() });
}

/** Restores everything debited for a refund that did not reach the card. Requires the locks of the payment and of `lockParties`. */
export async function restoreRefund(tx: Transaction, ctx: Context, refund: Refund): Promise<Payment> {
  await ctx.ledger.restore(tx, {
    key: `refund-back:${refund.id}`,
    restoredKey: `refund:${refund.id}`,
    description: "Refund that did not reach the card",
  });
  if (refund.bonus_micros > 0n)
    await ctx.ledger.restore(tx, {
      key: `refund-bonus-back:${refund.id}`,
      restoredKey: `refund-bonus:${refund.id}`,
      description: "Bonus credit",
    });
  const payment = await addReturnedAmounts(tx, refund.payment_id, {
    refundedMicros: -refund.amount_micros,
    bonusReturnedMicros: -refund.bonus_micros,
  });
  await returnPaymentReward(tx, ctx, payment);
  // One that had arrived by its receipt is corrected by another receipt, with its own mail.
  if (refund.receipt_id === null) await mailNotArrived(tx, ctx, refund);
  return payment;
}

/** Queues the mail about money that is back in the balance. A guest has none: an operator pays it another way. */
async function mailNotArrived(tx: Tx, { clock }: Context, refund: Refund): Promise<void> {
  const customer = await findCustomer(tx, refund.customer_id);
  if (customer === undefined || customer.isGuest) return;
  await enqueueMail(tx, {
    template: "payment_failed",
    data: { name: customer.name, event: "refund_failed", amount: formatDollars(refund.amount_micros) },
    to: customer.email,
    language: customer.language,
    key: `refund_failed ${refund.id}`,
    at: clock.now(),
  });
}
