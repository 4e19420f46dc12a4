import type Stripe from "stripe";
import { freezeCustomer } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { fromCents } from "../record/cents.ts";
import { addReturnedAmounts, type Payment } from "../record/payment.store.ts";
import type { Booked } from "../refunds/book-refunds.ts";
import { returnPaymentReward, revokePaymentReward, debitBonus } from "../refunds/debit-refund.ts";
import { isMoneyTaken, stageOf, type DisputeStage } from "../record/dispute-stage.ts";
import { findDispute, insertDispute, saveDispute, type Dispute } from "./dispute.store.ts";
import type { Context } from "../../context.ts";

/** A status never moves back, but a final one may be replaced by the other. */
const RANK: Record<DisputeStage, number> = { inquiry: 0, open: 1, lost: 2, kept: 2 };

/**
 * Converges the payment's disputes to the provider's state. A new dispute freezes the account until an operator has reviewed it. Money
 * that the bank took back is taken from the customer, and returned if the dispute is won. After a lost dispute, the part that could
 * not be taken stays owed. Requires the payment's lock.
 */
export async function bookDisputes(
  tx: Transaction,
  ctx: Context,
  payment: Payment,
  providerDisputes: readonly Stripe.Dispute[],
): Promise<Booked> {
  let booked: Booked = { payment, moved: false };
  for (const dispute of providerDisputes) {
    const after = await bookDispute(tx, ctx, booked.payment, dispute);
    booked = { payment: after.payment, moved: booked.moved || after.moved };
  }
  return booked;
}

async function bookDispute(tx: Transaction, ctx: Context, payment: Payment, providerDispute: Stripe.Dispute): Promise<Booked> {
  const stage = stageOf(providerDispute.status);
  const known = (await findDispute(tx, providerDispute.id)) ?? (await handleDispute(tx, ctx, payment, providerDispute));
  // Stale: a later state is already booked.
  if (RANK[stage] < RANK[stageOf(known.status)]) return { payment, moved: false };
  if (isMoneyTaken(providerDispute.status) && known.booked_micros === 0n)
    return take(tx, ctx, { payment, dispute: known, status: providerDispute.status });
  if (stage === "kept" && known.booked_micros > 0n)
    return restore(tx, ctx, { payment, dispute: known, status: providerDispute.status });
  if (providerDispute.status !== known.status)
    await saveDispute(tx, known.id, {
      status: providerDispute.status,
      bookedMicros: known.booked_micros,
      bonusMicros: known.bonus_micros,
      step: known.step,
      now: ctx.clock.now(),
    });
  return { payment, moved: false };
}

async function handleDispute(tx: Tx, ctx: Context, payment: Payment, providerDispute: Stripe.Dispute): Promise<Dispute> {
  const now = ctx.clock.now();
  ctx.log.warn({ payment_id: payment.id, dispute_id: providerDispute.id, reason: providerDispute.reason }, "payment disputed");
  if (stageOf(providerDispute.status) !== "kept")
    await freezeCustomer(tx, {
      customerId: payment.customer_id,
      because: "payment",
      reason: `Payment ${payment.id} is disputed.`,
      at: now,
    });
  return insertDispute(tx, {
    id: providerDispute.id,
    payment_id: payment.id,
    amount_micros: fromCents(providerDispute.amount),
    reason: providerDispute.reason,
    status: providerDispute.status,
    created_at: now,
    updated_at: now,
  });
}

interface Step {
  readonly payment: Payment;
  readonly dispute: Dispute;
  readonly status: string;
}

async function take(tx: Transaction, ctx: Context, { payment, dispute, status }: Step): Promise<Booked> {
  const step = dispute.step + 1;
  const amountMicros = dispute.amount_micros;
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
  await saveDispute(tx, dispute.id, { status, bookedMicros: amountMicros, bonusMicros, step, now: ctx.clock.now() });
  const moved = await addReturnedAmounts(tx, payment.id, { disputedMicros: amountMicros, bonusReturnedMicros: bonusMicros });
  return { payment: moved, moved: true };
}

async function restore(tx: Transaction, ctx: Context, { payment, dispute, status }: Step): Promise<Booked> {
  const { booked_micros: amountMicros, bonus_micros: bonusMicros, step } = dispute;
  await ctx.ledger.restore(tx, {
    key: `dispute-back:${dispute.id}:${step}`,
    restoredKey: `dispute:${dispute.id}:${step}`,
    description: "Dispute closed, credit returned",
  });
  if (bonusMicros > 0n)
    await ctx.ledger.restore(tx, {
      key: `dispute-bonus-back:${dispute.id}:${step}`,
      restoredKey: `dispute-bonus:${dispute.id}:${step}`,
      description: "Bonus credit",
    });
  ctx.log.info({ payment_id: payment.id, dispute_id: dispute.id }, "dispute won: the account can be unfrozen");
  await saveDispute(tx, dispute.id, { status, bookedMicros: 0n, bonusMicros: 0n, step, now: ctx.clock.now() });
  const moved = await addReturnedAmounts(tx, payment.id, { disputedMicros: -amountMicros, bonusReturnedMicros: -bonusMicros });
  await returnPaymentReward(tx, ctx, moved);
  return { payment: moved, moved: true };
}
