import type { Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { returnReferralReward, revokeReferralReward } from "../../promotions/promotions.ts";
import type { RefundOrigin, RefundStatus } from "../record/billing.tables.ts";
import { bonusShare } from "../record/bonus-share.ts";
import { addReturnedAmounts, type Payment } from "../record/payment.store.ts";
import { insertRefund, type Refund } from "./refund.store.ts";
import type { Context } from "../../context.ts";

/** If the process that ordered a refund dies before asking the provider, the job does it after this. */
const FIRST_TRY_BY_JOB_MS = 60_000;

export interface RefundToTake {
  readonly origin: RefundOrigin;
  readonly amountMicros: Micros;
  readonly withdrawalId?: string;
  /** The provider's id; absent while it has none. */
  readonly atProvider?: { readonly id: string; readonly status: Exclude<RefundStatus, "ordered" | "failed"> };
}

/**
 * Takes an amount that goes back to a card out of the ledger, with its share of the payment's bonus, and records the refund:
 * always before the provider is asked. Needs the locks of the payment and of `lockParties`.
 * @returns the updated payment and its refund
 * @throws AppError insufficient_credit for a withdrawal above the withdrawable amount
 */
export async function takeRefund(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  wanted: RefundToTake,
): Promise<{ payment: Payment; refund: Refund }> {
  const id = uuidv7();
  const { amountMicros } = wanted;
  await revokePaymentReward(tx, ctx, payment, { movesMicros: amountMicros, cause: `refund:${id}` });
  const posting = { key: `refund:${id}`, customerId: payment.customer_id, amountMicros, referenceId: payment.id };
  if (wanted.origin === "withdrawal") {
    await ctx.ledger.withdraw(tx, { ...posting, description: "Withdrawal to card" });
  } else {
    const { shortfallMicros } = await ctx.ledger.reverse(tx, {
      ...posting,
      kind: "refund",
      description: wanted.origin === "outside" ? "Refund" : "Refund to card",
    });
    if (shortfallMicros > 0n)
      ctx.log.warn({ payment_id: payment.id, owed_micros: String(shortfallMicros) }, "refund of spent credit");
  }
  const bonusMicros = await takeBonus(tx, ctx, payment, { key: `refund-bonus:${id}`, movesMicros: amountMicros });
  const now = ctx.clock.now();
  const refund = await insertRefund(tx, {
    id,
    payment_id: payment.id,
    customer_id: payment.customer_id,
    withdrawal_id: wanted.withdrawalId ?? null,
    origin: wanted.origin,
    amount_micros: amountMicros,
    bonus_micros: bonusMicros,
    status: wanted.atProvider?.status ?? "ordered",
    provider_refund_id: wanted.atProvider?.id ?? null,
    failure: null,
    next_try_at: wanted.atProvider?.status === "succeeded" ? null : new Date(now.getTime() + FIRST_TRY_BY_JOB_MS),
    created_at: now,
    settled_at: wanted.atProvider?.status === "succeeded" ? now : null,
  });
  return {
    payment: await addReturnedAmounts(tx, payment.id, { refundedMicros: amountMicros, bonusReturnedMicros: bonusMicros }),
    refund,
  };
}

/** Notifies promotions that money of a payment goes back to its card: an invitation's reward for it is reversed too. */
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
 * Takes back the payment's own bonus for money that goes back to the card: a spent part is taken from the paid credit.
 * @returns micro-dollars of it that were available
 */
export async function takeBonus(
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

/** Money of a payment is there again: so is what was taken with it from an invitation's reward. */
export async function returnPaymentReward(
  tx: Transaction,
  { ledger, clock }: Context,
  { id: paymentId, customer_id: customerId, stayed_micros: leftMicros }: Payment,
): Promise<void> {
  await returnReferralReward(tx, ledger, { paymentId, customerId, leftMicros, now: clock.now() });
}

/** A refund that did not reach the card: everything taken for it returns. Needs the locks of the payment and of `lockParties`. */
export async function giveRefundBack(tx: Transaction, ctx: Context, refund: Refund): Promise<Payment> {
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
  return payment;
}
