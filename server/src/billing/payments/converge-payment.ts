import { takesRealMoney } from "@farline/domain/live-key.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { grantPromo, recordReferralPayment, releasePromo } from "../../promotions/promotions.ts";
import { bookAutoOutcome } from "../cards/book-auto-outcome.ts";
import { keepCard } from "../cards/keep-card.ts";
import { chargeOrderOf } from "../cards/saved-card.store.ts";
import { decidePayment, type PaymentDecision } from "./decide-payment.ts";
import { freezeIfCardShared } from "./freeze-if-card-shared.ts";
import { promoDescription, topUpDescription } from "../record/entry-subject.ts";
import { bookDisputes } from "../disputes/book-disputes.ts";
import { bookWarnings } from "../disputes/book-warnings.ts";
import { lockParties } from "../record/lock-parties.ts";
import { mailNotArrived } from "./mail-not-arrived.ts";
import {
  lockPayment,
  lowerBonus,
  othersWithCard,
  readPayment,
  savePayment,
  lockPaymentsOf,
  type Payment,
} from "../record/payment.store.ts";
import { findCharge, readChargeTruth, readCheckoutTruth, type Aftermath, type CheckoutTruth } from "./read-checkout-truth.ts";
import { bookRefunds } from "../refunds/book-refunds.ts";
import { placeRefund } from "../refunds/place-refund.ts";
import type { Context } from "../../context.ts";

/** Another request may set the session while the provider is asked; more repetitions mean a fault. */
const MAX_ATTEMPTS = 5;

/** Facts known to the caller. */
export interface ConvergeHint {
  /** The session to check if the payment has none stored (the response that created it was lost). */
  readonly sessionId?: string;
  /** The payment intent of a charge that has none stored yet. */
  readonly intentId?: string;
  /** What to read in any case. */
  readonly aftermath?: readonly Aftermath[];
}

/**
 * Converges a payment to Stripe's state: credit and bonus once, refunds and disputes as they are, or an end
 * without payment. Called by the webhook, the success page, the balance, the poller and the reconciliation, any
 * number of times, in any order and in parallel; nothing else books card money.
 * @returns the updated payment
 * @throws errors of Stripe or the database; nothing is half done then
 */
export async function convergePayment(ctx: Context, paymentId: string, hint: ConvergeHint = {}): Promise<Payment> {
  return (await syncPayment(ctx, paymentId, hint)).payment;
}

/** The provider's state, and whether it changed anything here. */
export interface PaymentLook {
  readonly payment: Payment;
  /** Null if there was nothing to check. */
  readonly truth: CheckoutTruth | null;
  readonly moved: boolean;
}

/** `convergePayment` that also returns the provider's state. */
export async function syncPayment(ctx: Context, paymentId: string, hint: ConvergeHint): Promise<PaymentLook> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await readPayment(ctx.handle.db, paymentId);
    if (before === undefined) throw new Error(`There is no payment ${paymentId}.`);
    const truth = await readTruth(ctx, before, hint);
    if (truth === null) return { payment: before, truth, moved: false };
    const outcome = await ctx.transaction((tx) => bookPayment(tx, ctx, { before, truth }));
    if (outcome === null) continue;
    await publishOutcome(ctx, outcome);
    return { payment: outcome.payment, truth, moved: outcome.moved };
  }
  throw new Error(`Payment ${paymentId} keeps changing.`);
}

/** @returns null if the provider does not seem to know the payment */
async function readTruth(ctx: Context, before: Payment, hint: ConvergeHint): Promise<CheckoutTruth | null> {
  const { stripe } = ctx;
  const aftermath = aftermathOf(before, hint);
  if (before.saved_card_id !== null) {
    const intentId = before.payment_intent_id ?? hint.intentId ?? (await findLostCharge(ctx, before));
    return intentId === null ? null : readChargeTruth(stripe, intentId, aftermath);
  }
  const sessionId = before.session_id ?? hint.sessionId;
  if (sessionId === undefined) return null;
  const truth = await readCheckoutTruth(stripe, sessionId, aftermath);
  // Never adopt a session that only claims to belong to this payment.
  return before.session_id === null && truth.paymentId !== before.id ? null : truth;
}

async function findLostCharge({ handle, stripe }: Context, payment: Payment): Promise<string | null> {
  const order = await chargeOrderOf(handle.db, payment.id);
  return findCharge(stripe, { paymentId: payment.id, customer: order.providerCustomerId, since: payment.created_at });
}

/** A refund may be reversed later, so it is read each time. */
function aftermathOf(before: Payment, hint: ConvergeHint): Aftermath[] {
  const looks = new Set(hint.aftermath);
  if (before.refunded_micros > 0n) looks.add("refunds");
  if (before.disputed_micros > 0n) looks.add("disputes");
  return [...looks];
}

interface Outcome {
  readonly payment: Payment;
  /** The payment ended, or its money moved. */
  readonly moved: boolean;
  /** Pages show the payment differently than before. */
  readonly displayChanged: boolean;
  /** Refunds taken from the ledger, to be sent. */
  readonly ordered: readonly string[];
}

/** The bookings of a payment, in order. @returns null if the payment has another session now */
async function bookPayment(tx: Transaction, ctx: Context, { before, truth }: Seen): Promise<Outcome | null> {
  const payment = await lockForBooking(tx, ctx, { before, truth });
  if (payment === null) return null;
  const decision = decidePayment(payment, truth, takesRealMoney(ctx.config.stripe.secretKey));
  if (decision.credit) await bookCredit(tx, ctx, payment, truth);
  const { saved, settles } = await bookStatus(tx, ctx, { payment, truth, decision });
  const displayChanged = saved.status !== payment.status || saved.failure_code !== payment.failure_code;
  if (!decision.ours) return { payment: saved, moved: settles, displayChanged, ordered: [] };
  if (decision.credit) await bookCard(tx, ctx, saved, truth);
  const refunds = await bookRefunds(tx, ctx, saved, truth.refunds);
  const disputes = await bookDisputes(tx, ctx, refunds.payment, truth.disputes);
  const warnings = await bookWarnings(tx, ctx, disputes.payment, truth.warnings);
  return {
    payment: warnings.payment,
    moved: settles || refunds.moved || disputes.moved || warnings.moved,
    displayChanged,
    ordered: warnings.ordered,
  };
}

/** A payment as read before the provider's response, and that response. */
interface Seen {
  readonly before: Payment;
  readonly truth: CheckoutTruth;
}

/** Takes the locks of all bookings, in the order of ARCHITECTURE.md. @returns null if the payment has another session now */
async function lockForBooking(tx: Transaction, ctx: Context, { before, truth }: Seen): Promise<Payment | null> {
  if (before.keeps_card) await lockPaymentsOf(tx, before.customer_id);
  const payment = await lockPayment(tx, before.id);
  if (payment.session_id !== null && payment.session_id !== truth.sessionId) return null;
  await lockParties(tx, ctx, payment.customer_id);
  return payment;
}

interface Decided {
  readonly payment: Payment;
  readonly truth: CheckoutTruth;
  readonly decision: PaymentDecision;
}

/** Books the status and what depends on it: the automatic top-up and the promo code. */
async function bookStatus(
  tx: Transaction,
  ctx: Context,
  { payment, truth, decision }: Decided,
): Promise<{ saved: Payment; settles: boolean }> {
  const { status, problem } = decision;
  const facts = { payment_id: payment.id, session_id: truth.sessionId };
  if (problem !== null) ctx.log.error({ ...facts, problem }, "payment does not match its order");
  // A payment that ended without credit ends again if credit comes after all.
  const settles = decision.credit || (payment.settled_at === null && status !== "open" && status !== "pending");
  const now = ctx.clock.now();
  const saved = await savePayment(tx, payment.id, {
    status,
    sessionId: truth.sessionId,
    paymentIntentId: truth.paymentIntentId,
    failureCode: truth.failureCode,
    card: truth.card,
    settledAt: settles ? now : payment.settled_at,
    presented: truth.presented,
  });
  if (settles) ctx.log.info({ ...facts, status }, "payment settled");
  if (settles && saved.kind === "auto") await bookAutoOutcome(tx, ctx, saved);
  // A checkout stays open after a declined card, so this money was expected later.
  if (settles && status === "failed" && saved.session_id !== null) await mailNotArrived(tx, saved, now);
  if (status === "expired" || status === "failed") await releasePromo(tx, payment.id, now);
  return { saved, settles };
}

/** Handles the card that paid: freezes the account if too many accounts share it, and saves it on request. */
async function bookCard(tx: Transaction, ctx: Context, payment: Payment, truth: CheckoutTruth): Promise<void> {
  await freezeIfCardShared(tx, ctx, payment, truth);
  if (!payment.keeps_card || truth.method === null) return;
  await keepCard(tx, ctx, { customerId: payment.customer_id, method: truth.method, authenticated: payment.authenticated });
}

/** After the commit: asks the provider to send refunds, and notifies open pages. */
async function publishOutcome(ctx: Context, { payment, moved, displayChanged, ordered }: Outcome): Promise<void> {
  for (const refundId of ordered) await placeRefund(ctx, refundId);
  const { customer_id: customerId } = payment;
  if (moved || displayChanged) ctx.live.publish(customerId, { type: "payment", id: payment.id });
  if (!moved) return;
  ctx.live.publish(customerId, { type: "balance" });
  ctx.live.publish(customerId, { type: "transactions" });
  ctx.live.publish(customerId, { type: "account" });
}

/** Credits the payment. Amounts come from our order only, never from the provider. */
async function bookCredit(tx: Transaction, ctx: Context, payment: Payment, truth: CheckoutTruth): Promise<void> {
  const { id, customer_id: customerId, charge_micros: chargeMicros } = payment;
  const shared = { customerId, referenceId: id };
  await ctx.ledger.credit(tx, {
    ...shared,
    key: `topup:${id}`,
    kind: "top_up",
    amountMicros: chargeMicros,
    description: topUpDescription(payment.kind === "auto"),
  });
  // Stripe's test cards belong to everybody and prove nothing.
  const fingerprint = truth.live ? (truth.card?.fingerprint ?? null) : null;
  const now = ctx.clock.now();
  const promo = await grantPromo(tx, ctx.config, {
    paymentId: id,
    chargeMicros,
    packageId: payment.package_id,
    fingerprint,
    now,
  });
  const bonuses = [
    { key: `bonus:${id}`, amountMicros: payment.bonus_micros - (promo?.promisedMicros ?? 0n), description: "Bonus credit" },
    { key: `promo:${id}`, amountMicros: promo?.bonusMicros ?? 0n, description: promoDescription(promo?.code ?? "") },
  ];
  for (const bonus of bonuses) if (bonus.amountMicros > 0n) await ctx.ledger.credit(tx, { ...shared, ...bonus, kind: "bonus" });
  if (promo !== null && promo.bonusMicros < promo.promisedMicros) {
    await lowerBonus(tx, id, promo.promisedMicros - promo.bonusMicros);
    ctx.log.warn({ payment_id: id }, "promo code not granted");
  }
  const cardShared = fingerprint !== null && (await othersWithCard(tx, { fingerprint, customerId })) > 0;
  await recordReferralPayment(tx, { invitedId: customerId, paymentId: id, paidMicros: chargeMicros, cardShared, now });
}
