import { takesRealMoney } from "@farline/domain/live-key.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { MAX_CUSTOMERS_PER_CARD } from "@farline/domain/business/top-up-limits.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { grantPromo, recordReferralPayment, releasePromo } from "../../promotions/promotions.ts";
import { bookAutoOutcome } from "../cards/book-auto-outcome.ts";
import { keepCard } from "../cards/keep-card.ts";
import { readChargeOrder } from "../cards/saved-card.store.ts";
import { decidePayment, type PaymentDecision } from "./decide-payment.ts";
import { promoDescription, topUpDescription } from "../record/entry-subject.ts";
import { bookDisputes } from "../disputes/book-disputes.ts";
import { bookWarnings } from "../disputes/book-warnings.ts";
import { giveBookedCredit, partiesOf } from "../credit-for-others/book-gift.ts";
import { findGiftOfPayment } from "../credit-for-others/gift.store.ts";
import { lockParties } from "../record/lock-parties.ts";
import {
  cardTrouble,
  lockPayment,
  lockPaymentsOf,
  lowerBonus,
  namePayment,
  othersWithCard,
  type Payment,
  readPayment,
  savePayment,
} from "../record/payment.store.ts";
import { type CheckoutState, findCharge, readChargeState, readCheckoutState, type Reversal } from "./read-checkout-state.ts";
import { bookRefunds } from "../refunds/book-refunds.ts";
import { placeRefund } from "../refunds/place-refund.ts";
import type { Context } from "../../context.ts";
import { findCustomer, freezeForReview, passwordResetAt } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import { stageOf } from "../record/dispute-stage.ts";

/** A concurrent request may change the session during the check. More repetitions than this indicate a bug. */
const MAX_ATTEMPTS = 5;

/** What the caller already knows. */
export interface ConvergeHint {
  /** The session to check if none is stored, because the response that created it was lost. */
  readonly sessionId?: string;
  /** The payment intent to check if none is stored yet. */
  readonly intentId?: string;
  /** Reversals to read in addition to those already booked. */
  readonly reversals?: readonly Reversal[];
}

/**
 * Converges a payment to Stripe's state: books credit and bonus once, refunds, disputes, or an end without payment. The only function
 * that books card money; called by the webhook, the success page, the balance, the poller and the reconciliation, any number of
 * times, in any order and concurrently.
 * @returns the updated payment
 * @throws errors of Stripe or the database; nothing is booked then
 */
export async function convergePayment(ctx: Context, paymentId: string, hint: ConvergeHint = {}): Promise<Payment> {
  return (await syncPayment(ctx, paymentId, hint)).payment;
}

/** The result of a check at the provider. */
export interface PaymentSync {
  readonly payment: Payment;
  /** Null if there was nothing to check. */
  readonly providerState: CheckoutState | null;
  readonly moved: boolean;
}

/** Like `convergePayment`, but also returns the provider's state. */
export async function syncPayment(ctx: Context, paymentId: string, hint: ConvergeHint): Promise<PaymentSync> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await readPayment(ctx.handle.db, paymentId);
    if (before === undefined) throw new Error(`There is no payment ${paymentId}.`);
    const providerState = await readProviderState(ctx, before, hint);
    if (providerState === null) return { payment: before, providerState, moved: false };
    const outcome = await ctx.transaction((tx) => bookPayment(tx, ctx, { before, providerState }));
    if (outcome === null) continue;
    await publishOutcome(ctx, outcome);
    return { payment: outcome.payment, providerState, moved: outcome.moved };
  }
  throw new Error(`Payment ${paymentId} keeps changing.`);
}

/** @returns null if the provider does not seem to know the payment */
async function readProviderState(ctx: Context, before: Payment, hint: ConvergeHint): Promise<CheckoutState | null> {
  const { stripe } = ctx;
  const reversals = reversalsToRead(before, hint);
  if (before.saved_card_id !== null) {
    const intentId = before.payment_intent_id ?? hint.intentId ?? (await findLostCharge(ctx, before));
    return intentId === null ? null : readChargeState(stripe, intentId, reversals);
  }
  const sessionId = before.session_id ?? hint.sessionId;
  if (sessionId === undefined) return null;
  const providerState = await readCheckoutState(stripe, sessionId, reversals);
  // Do not adopt a session whose metadata names another payment.
  return before.session_id === null && providerState.paymentId !== before.id ? null : providerState;
}

async function findLostCharge({ handle, stripe }: Context, payment: Payment): Promise<string | null> {
  const order = await readChargeOrder(handle.db, payment.id);
  return findCharge(stripe, { paymentId: payment.id, customer: order.providerCustomerId, since: payment.created_at });
}

/** The reversals to read: those requested, and those already booked, because they may change. */
function reversalsToRead(before: Payment, hint: ConvergeHint): Reversal[] {
  const reversals = new Set(hint.reversals);
  if (before.refunded_micros > 0n) reversals.add("refunds");
  if (before.disputed_micros > 0n) reversals.add("disputes");
  return [...reversals];
}

interface BookingOutcome {
  readonly payment: Payment;
  /** Whether the payment ended, or its money moved. */
  readonly moved: boolean;
  /** Whether pages show the payment differently. */
  readonly displayChanged: boolean;
  /** Refunds debited from the ledger, to be sent. */
  readonly ordered: readonly string[];
}

/** Books a payment's state in order. @returns null if the payment's session has changed */
async function bookPayment(
  tx: Transaction,
  ctx: Context,
  { before, providerState }: PaymentCheck,
): Promise<BookingOutcome | null> {
  const payment = await lockForBooking(tx, ctx, { before, providerState });
  if (payment === null) return null;
  const decision = decidePayment(payment, providerState, takesRealMoney(ctx.config.stripe.secretKey));
  if (decision.credit) {
    // First, so that credit bought for somebody else with such a card stays with the locked payer.
    await freezeIfCardShared(tx, ctx, payment, providerState);
    await bookCredit(tx, ctx, payment, providerState);
  }
  const { saved, settles } = await bookStatus(tx, ctx, { payment, providerState, decision });
  const displayChanged = saved.status !== payment.status || saved.failure_code !== payment.failure_code;
  if (!decision.ours) return { payment: saved, moved: settles, displayChanged, ordered: [] };
  if (decision.credit) await bookCard(tx, ctx, saved, providerState);
  const refunds = await bookRefunds(tx, ctx, saved, providerState.refunds);
  const disputes = await bookDisputes(tx, ctx, refunds.payment, providerState.disputes);
  const warnings = await bookWarnings(tx, ctx, disputes.payment, providerState.warnings);
  return {
    payment: warnings.payment,
    moved: settles || refunds.moved || disputes.moved || warnings.moved,
    displayChanged,
    ordered: warnings.ordered,
  };
}

/** A payment as read before the check, and the provider's state. */
interface PaymentCheck {
  readonly before: Payment;
  readonly providerState: CheckoutState;
}

/** Takes the locks for all bookings, in the order of ARCHITECTURE.md. @returns null if the payment's session has changed */
async function lockForBooking(tx: Transaction, ctx: Context, { before, providerState }: PaymentCheck): Promise<Payment | null> {
  if (before.keeps_card) await lockPaymentsOf(tx, before.customer_id);
  const payment = await lockPayment(tx, before.id);
  if (payment.session_id !== null && payment.session_id !== providerState.sessionId) return null;
  await lockParties(tx, ctx, await partiesOf(tx, payment));
  return payment;
}

interface DecidedPayment {
  readonly payment: Payment;
  readonly providerState: CheckoutState;
  readonly decision: PaymentDecision;
}

/** Books the status and its effects on the automatic top-up and the promo code. */
async function bookStatus(
  tx: Transaction,
  ctx: Context,
  { payment, providerState, decision }: DecidedPayment,
): Promise<{ saved: Payment; settles: boolean }> {
  const { status, problem } = decision;
  const facts = { payment_id: payment.id, session_id: providerState.sessionId };
  if (problem !== null) ctx.log.error({ ...facts, problem }, "payment does not match its order");
  // A payment that ended without credit settles again if it is credited later.
  const settles = decision.credit || (payment.settled_at === null && status !== "open" && status !== "pending");
  const now = ctx.clock.now();
  const saved = await savePayment(tx, payment.id, {
    status,
    sessionId: providerState.sessionId,
    paymentIntentId: providerState.paymentIntentId,
    failureCode: providerState.failureCode,
    card: providerState.card,
    settledAt: settles ? now : payment.settled_at,
    presented: providerState.presented,
  });
  if (settles) ctx.log.info({ ...facts, status }, "payment settled");
  if (settles && saved.kind === "auto") await bookAutoOutcome(tx, ctx, saved);
  // A declined card leaves a checkout open, so this was a delayed payment that did not arrive.
  if (settles && status === "failed" && saved.session_id !== null) await mailNotArrived(tx, saved, now);
  if (status === "expired" || status === "failed") await releasePromo(tx, payment.id, now);
  return { saved, settles };
}

/** Saves the paying card if requested, unless the owner has recovered the account since: then a stranger may have requested it. */
async function bookCard(tx: Transaction, ctx: Context, payment: Payment, providerState: CheckoutState): Promise<void> {
  if (!payment.keeps_card || providerState.method === null) return;
  const recoveredAt = await passwordResetAt(tx, payment.customer_id);
  if (recoveredAt !== null && recoveredAt >= payment.created_at) return;
  await keepCard(tx, ctx, {
    customerId: payment.customer_id,
    method: providerState.method,
    authenticated: payment.authenticated,
  });
}

/** Sends refunds and notifies open pages. Call it after the commit. */
async function publishOutcome(ctx: Context, { payment, moved, displayChanged, ordered }: BookingOutcome): Promise<void> {
  for (const refundId of ordered) await placeRefund(ctx, refundId);
  if (moved || displayChanged) ctx.live.publish(payment.customer_id, { type: "payment", id: payment.id });
  if (!moved) return;
  for (const customerId of await partiesOf(ctx.handle.db, payment)) {
    ctx.live.publish(customerId, { type: "balance" });
    ctx.live.publish(customerId, { type: "transactions" });
    ctx.live.publish(customerId, { type: "account" });
  }
}

/** Credits the payment, with the amounts of our order, never the provider's. */
async function bookCredit(tx: Transaction, ctx: Context, payment: Payment, providerState: CheckoutState): Promise<void> {
  const { id, customer_id: customerId, charge_micros: chargeMicros } = payment;
  const shared = { customerId, referenceId: id };
  await ctx.ledger.credit(tx, {
    ...shared,
    key: `topup:${id}`,
    kind: "top_up",
    amountMicros: chargeMicros,
    description: topUpDescription(payment.kind === "auto"),
  });
  // Everybody uses the same Stripe test cards, so they identify nobody.
  const fingerprint = providerState.live ? (providerState.card?.fingerprint ?? null) : null;
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
  const gift = await findGiftOfPayment(tx, id);
  const others = fingerprint === null ? 0 : await othersWithCard(tx, { fingerprint, customerId });
  // Credit for somebody else earns no reward, so that nobody is rewarded twice for one payment.
  if (gift !== undefined) {
    const authenticated = providerState.card?.authenticated === true;
    return giveBookedCredit(tx, ctx, gift, { authenticated, othersWithCard: others });
  }
  await recordReferralPayment(tx, {
    invitedId: customerId,
    paymentId: id,
    paidMicros: chargeMicros,
    cardShared: others > 0,
    now,
  });
}

/** Queues the mail about a delayed payment whose money did not arrive. */
async function mailNotArrived(tx: Tx, payment: Payment, now: Date): Promise<void> {
  const customer = await findCustomer(tx, payment.customer_id);
  if (customer === undefined) throw new Error(`Payment ${payment.id} has no customer.`);
  await enqueueMail(tx, {
    template: "payment_failed",
    data: { name: customer.name, event: "not_arrived", amount: formatDollars(payment.charge_micros) },
    to: customer.email,
    language: customer.language,
    key: `payment_failed ${payment.id}`,
    at: now,
  });
}

/**
 * Freezes the account, for review by an operator, if its card pays for too many accounts, which suggests one person behind them, or if
 * the card's payment for another account was disputed or reported as fraud. Ignores Stripe's test cards, which everybody uses.
 */
async function freezeIfCardShared(tx: Tx, ctx: Context, payment: Payment, providerState: CheckoutState): Promise<void> {
  const { limitsScale } = ctx.config;
  const fingerprint = providerState.card?.fingerprint ?? null;
  if (!providerState.live || limitsScale === 0 || fingerprint === null) return;
  const card = { fingerprint, customerId: payment.customer_id };
  const others = await othersWithCard(tx, card);
  const { disputes, warned } = await cardTrouble(tx, card);
  const isDisputed = warned || disputes.some((status) => stageOf(status) !== "kept");
  if (others < Math.ceil(MAX_CUSTOMERS_PER_CARD * limitsScale) && !isDisputed) return;
  ctx.log.error({ payment_id: payment.id, others, disputed: isDisputed }, "card belongs to other accounts");
  await freezeForReview(tx, {
    because: "payment",
    customerId: payment.customer_id,
    reason: isDisputed
      ? `${namePayment(payment)}: its card is disputed or reported as fraud for another account.`
      : `${namePayment(payment)}: its card pays for other accounts too.`,
    at: ctx.clock.now(),
  });
}
