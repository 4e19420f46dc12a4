import { DAY_MS } from "@farline/domain/durations.ts";
import type Stripe from "stripe";
import { freezeForReview } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { fromCents } from "../record/cents.ts";
import { partiesOf, takeBackGift } from "../gifts/book-gift.ts";
import { addReturnedAmounts, type Payment } from "../record/payment.store.ts";
import type { Booked } from "../refunds/book-refunds.ts";
import { returnPaymentReward, revokePaymentReward, debitBonus } from "../refunds/debit-refund.ts";
import { isMoneyTaken, stageOf, type DisputeStage } from "../record/dispute-stage.ts";
import { findDispute, insertDispute, saveDispute, type Dispute } from "./dispute.store.ts";
import type { Context } from "../../context.ts";

/** How long banks usually wait for evidence, if the provider does not say. */
const USUAL_RESPONSE_MS = 7 * DAY_MS;
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
  const seen = { status: providerDispute.status, dueAt: dueOf(providerDispute, known.due_at) };
  if (isMoneyTaken(seen.status) && known.booked_micros === 0n) return take(tx, ctx, { payment, dispute: known, seen });
  if (stage === "kept" && known.booked_micros > 0n) return restore(tx, ctx, { payment, dispute: known, seen });
  if (seen.status !== known.status || seen.dueAt.getTime() !== known.due_at.getTime())
    await saveDispute(tx, known, {
      ...seen,
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
    for (const customerId of await partiesOf(tx, payment))
      await freezeForReview(tx, { customerId, because: "payment", reason: `Payment ${payment.id} is disputed.`, at: now });
  return insertDispute(tx, {
    id: providerDispute.id,
    payment_id: payment.id,
    amount_micros: fromCents(providerDispute.amount),
    reason: providerDispute.reason,
    status: providerDispute.status,
    due_at: dueOf(providerDispute, new Date(now.getTime() + USUAL_RESPONSE_MS)),
    created_at: now,
    updated_at: now,
  });
}

/** Until when the bank waits for evidence; `otherwise` if the provider names no time. */
function dueOf({ evidence_details: details }: Stripe.Dispute, otherwise: Date): Date {
  const seconds = details?.due_by ?? null;
  return seconds === null ? otherwise : new Date(seconds * 1_000);
}

interface Step {
  readonly payment: Payment;
  readonly dispute: Dispute;
  /** What the provider says now. */
  readonly seen: { readonly status: string; readonly dueAt: Date };
}

async function take(tx: Transaction, ctx: Context, { payment, dispute, seen }: Step): Promise<Booked> {
  const step = dispute.step + 1;
  const amountMicros = dispute.amount_micros;
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

async function restore(tx: Transaction, ctx: Context, { payment, dispute, seen }: Step): Promise<Booked> {
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
  await saveDispute(tx, dispute, { ...seen, bookedMicros: 0n, bonusMicros: 0n, step, now: ctx.clock.now() });
  const moved = await addReturnedAmounts(tx, payment.id, { disputedMicros: -amountMicros, bonusReturnedMicros: -bonusMicros });
  await returnPaymentReward(tx, ctx, moved);
  return { payment: moved, moved: true };
}
