import { disputeHandledWords, disputeStatusWords } from "@farline/contract/operator/words/money-words.ts";
import { wordFor } from "@farline/contract/operator/words/words.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type Stripe from "stripe";
import { freezeForReview } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { fromCents } from "../record/cents.ts";
import { partiesOf } from "../credit-for-others/book-gift.ts";
import { namePayment, type Payment } from "../record/payment.store.ts";
import { rebookDisputes, restoreDispute, takeDispute, type DisputeStep } from "../refunds/debit-dispute.ts";
import type { Booked } from "../refunds/debit-refund.ts";
import { isMoneyTaken, stageOf, type DisputeStage } from "../record/dispute-stage.ts";
import {
  findDispute,
  insertDispute,
  lockWaitingDispute,
  saveDispute,
  storeHandled,
  type Dispute,
} from "../record/dispute.store.ts";
import type { Context } from "../../context.ts";
import { MOVES_NOTHING, type Verb } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";

/** How long banks usually wait for evidence, if the provider does not say. */
const USUAL_RESPONSE_MS = 7 * DAY_MS;
/** A status never moves back, but a decision may be appealed and replaced by another. An unknown status ranks nowhere. */
const RANK: Record<Exclude<DisputeStage, "unknown">, number> = { inquiry: 0, open: 1, appeal: 2, lost: 2, kept: 2 };

/**
 * Converges the payment's disputes to the provider's state. A new dispute freezes the account until an operator has reviewed it. Money
 * that the bank took back is taken from the customer, and returned if the dispute is won. If its amount changes, what was booked is
 * returned and the new amount taken. After a lost dispute, the part that could not be taken stays owed. A status that we don't know moves
 * nothing and waits for a person. Requires the payment's lock.
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
  const { status, amountMicros } = readDispute(payment, providerDispute);
  const stage = stageOf(status);
  const known = (await findDispute(tx, providerDispute.id)) ?? (await handleDispute(tx, ctx, payment, providerDispute));
  const knownStage = stageOf(known.status);
  // Stale: a later state is already booked.
  if (stage !== "unknown" && knownStage !== "unknown" && RANK[stage] < RANK[knownStage]) return { payment, moved: false };
  const seen = { status, amountMicros, dueAt: dueOf(providerDispute, known.due_at) };
  const booked = known.booked_micros;
  const wanted = stage === "unknown" ? booked : isMoneyTaken(seen.status) ? amountMicros : 0n;
  if (wanted !== booked) return moveTo(tx, ctx, { payment, dispute: known, seen }, wanted);
  if (stage === "unknown" && known.status !== seen.status)
    ctx.log.error({ payment_id: payment.id, dispute_id: known.id, status: seen.status }, "dispute of unknown status");
  const isChanged = seen.status !== known.status || seen.dueAt.getTime() !== known.due_at.getTime();
  if (isChanged || amountMicros !== known.amount_micros)
    await saveDispute(tx, known, {
      ...seen,
      bookedMicros: booked,
      bonusMicros: known.bonus_micros,
      step: known.step,
      now: ctx.clock.now(),
    });
  return { payment, moved: false };
}

/** Books that the bank has taken this much: first returns what it took before, because each posting is restored in full. */
async function moveTo(tx: Transaction, ctx: Context, step: DisputeStep, wantedMicros: bigint): Promise<Booked> {
  let { payment, dispute } = step;
  if (dispute.booked_micros > 0n) {
    payment = (await restoreDispute(tx, ctx, step)).payment;
    dispute = { ...dispute, booked_micros: 0n, bonus_micros: 0n };
  }
  if (wantedMicros > 0n) return takeDispute(tx, ctx, { payment, dispute, seen: step.seen });
  return { payment: await rebookDisputes(tx, ctx, payment), moved: true };
}

/** An amount in another currency than the payment's is not understood: its status is unknown, and the whole payment is at stake. */
function readDispute(payment: Payment, { status, amount, currency }: Stripe.Dispute): { status: string; amountMicros: bigint } {
  if (currency === payment.currency) return { status, amountMicros: fromCents(amount) };
  return { status: `${status} in ${currency}`, amountMicros: payment.charge_micros };
}

async function handleDispute(tx: Tx, ctx: Context, payment: Payment, providerDispute: Stripe.Dispute): Promise<Dispute> {
  const now = ctx.clock.now();
  const { status, amountMicros } = readDispute(payment, providerDispute);
  ctx.log.warn({ payment_id: payment.id, dispute_id: providerDispute.id, reason: providerDispute.reason }, "payment disputed");
  if (stageOf(status) !== "kept")
    for (const customerId of await partiesOf(tx, payment))
      await freezeForReview(tx, { customerId, because: "payment", reason: `${namePayment(payment)} is disputed.`, at: now });
  return insertDispute(tx, {
    id: providerDispute.id,
    payment_id: payment.id,
    amount_micros: amountMicros,
    status,
    reason: providerDispute.reason,
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

/** Records what an operator did about a dispute at the payment provider; it no longer waits, until the bank asks for evidence once more. */
const handle: Verb<"handle-dispute", void> = {
  plan: async (tx, ctx, { dispute: id, as }) => {
    const customerId = await lockWaitingDispute(tx, id);
    if (customerId === undefined) throw await notWaiting(tx, id);
    const run = async () => ({ result: await storeHandled(tx, id, { as, by: ctx.actor.id, at: ctx.clock.now() }) });
    return { customerId, subject: id, moves: MOVES_NOTHING, detail: { as }, run };
  },
  respond: () => undefined,
};

export const disputeVerbs = { "handle-dispute": handle };

async function notWaiting(tx: Transaction, id: string): Promise<AppError> {
  const known = await findDispute(tx, id);
  if (known === undefined) return new AppError("not_found", { reason: "operator.no_dispute", params: { dispute: id } });
  const state = known.handled === null ? wordFor(disputeStatusWords, known.status) : wordFor(disputeHandledWords, known.handled);
  return new AppError("conflict", { reason: "operator.dispute_state", params: { state } });
}
