import type { Transaction } from "../../platform/database/database.ts";
import { takeBackGift } from "../credit-for-others/book-gift.ts";
import { stageOf } from "../record/dispute-stage.ts";
import { bookedDisputes, saveDispute, type Dispute } from "../record/dispute.store.ts";
import { addReturnedAmounts, type Payment } from "../record/payment.store.ts";
import { debitBonus, returnPaymentReward, revokePaymentReward, type Booked } from "./debit-refund.ts";
import type { Context } from "../../context.ts";

/** A dispute of a payment, to be booked as the provider sees it now. */
export interface DisputeStep {
  readonly payment: Payment;
  readonly dispute: Dispute;
  /** What the provider says now. */
  readonly seen: { readonly status: string; readonly amountMicros: bigint; readonly dueAt: Date };
}

/** Takes what the bank took, with its share of the bonus. Requires the locks of the payment and of `lockParties`. */
export async function takeDispute(tx: Transaction, ctx: Context, { payment, dispute, seen }: DisputeStep): Promise<Booked> {
  const step = dispute.step + 1;
  const { amountMicros } = seen;
  await takeBackGift(tx, ctx, payment, { amountMicros, cause: `dispute:${dispute.id}:${step}` });
  await revokePaymentReward(tx, ctx, payment, {
    movesMicros: amountMicros,
    cause: `dispute:${dispute.id}:${step}`,
  });
  const { shortfallMicros } = await ctx.ledger.reverse(tx, {
    key: `dispute:${dispute.id}:${step}`,
    customerId: payment.customer_id,
    referenceId: payment.id,
    kind: "dispute",
    amountMicros,
    description: "Payment disputed at the bank",
  });
  const bonusMicros = await debitBonus(tx, ctx, payment, {
    key: `dispute-bonus:${dispute.id}:${step}`,
    movesMicros: amountMicros,
  });
  if (shortfallMicros > 0n)
    ctx.log.warn({ payment_id: payment.id, owed_micros: String(shortfallMicros) }, "dispute of spent credit");
  await saveDispute(tx, dispute, { ...seen, bookedMicros: amountMicros, bonusMicros, step, now: ctx.clock.now() });
  const moved = await addReturnedAmounts(tx, payment.id, { disputedMicros: amountMicros, bonusReturnedMicros: bonusMicros });
  return { payment: moved, moved: true };
}

/** Returns what a dispute took. Requires the same locks. */
export async function restoreDispute(tx: Transaction, ctx: Context, { payment, dispute, seen }: DisputeStep): Promise<Booked> {
  const { booked_micros: amountMicros, bonus_micros: bonusMicros, step } = dispute;
  await ctx.ledger.restore(tx, {
    key: `dispute-back:${dispute.id}:${step}`,
    restoredKey: `dispute:${dispute.id}:${step}`,
    description: stageOf(seen.status) === "kept" ? "Dispute closed, credit returned" : "Disputed amount changed",
  });
  if (bonusMicros > 0n)
    await ctx.ledger.restore(tx, {
      key: `dispute-bonus-back:${dispute.id}:${step}`,
      restoredKey: `dispute-bonus:${dispute.id}:${step}`,
      description: "Bonus credit",
    });
  if (stageOf(seen.status) === "kept")
    ctx.log.info({ payment_id: payment.id, dispute_id: dispute.id }, "dispute won: the account can be unfrozen");
  await saveDispute(tx, dispute, { ...seen, bookedMicros: 0n, bonusMicros: 0n, step, now: ctx.clock.now() });
  const moved = await addReturnedAmounts(tx, payment.id, { disputedMicros: -amountMicros, bonusReturnedMicros: -bonusMicros });
  await returnPaymentReward(tx, ctx, moved);
  return { payment: moved, moved: true };
}

/**
 * Books the payment's disputes again after another amount of it came back: that amount took the bonus first, so they took less than
 * their share. Requires the locks of the payment and of `lockParties`.
 */
export async function rebookDisputes(tx: Transaction, ctx: Context, before: Payment): Promise<Payment> {
  if (before.bonus_micros === 0n) return before;
  const booked = await bookedDisputes(tx, before.id);
  const steps = booked.map((dispute) => ({
    dispute,
    seen: { status: dispute.status, amountMicros: dispute.booked_micros, dueAt: dispute.due_at },
  }));
  let payment = before;
  // All are returned before the first is taken: a share depends on what else is gone.
  for (const step of steps) payment = (await restoreDispute(tx, ctx, { ...step, payment })).payment;
  for (const step of steps) payment = (await takeDispute(tx, ctx, { ...step, payment })).payment;
  return payment;
}
