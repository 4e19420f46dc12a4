import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { CheckoutResponse } from "@farline/contract/billing.ts";
import { guestThanksPath, mailLinkPaths } from "@farline/contract/constants.ts";
import { Stripe } from "stripe";
import { uuidv7 } from "uuidv7";
import { lockSession, requireOpen, type SessionWithCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { promoCodeOf, releasePromo, reservePromo } from "../../promotions/promotions.ts";
import { chooseCard } from "../cards/choose-card.ts";
import { CHARGE_FIRST_CHECK_MS, CHARGE_TRIES_MS, outcomePage, placeCharge, cancelCharge } from "./place-charge.ts";
import { providerCustomer } from "../cards/save-card.ts";
import { toCents } from "../record/cents.ts";
import { orderMetadata } from "../record/provider-metadata.ts";
import { nextCheckAt } from "../payments/check-schedule.ts";
import { decideTopUp } from "../limits/decide-top-up.ts";
import { readPayerHistory } from "../limits/payer-history.store.ts";
import { isAddressRefused, recordRefusal } from "../record/provider-refusals.ts";
import {
  attachSession,
  findPaymentByRequestKey,
  insertPayment,
  lockPayment,
  lockPaymentsOf,
  reopenPayment,
  readPayment,
  type NewPayment,
  type Payment,
  type Payer,
} from "../record/payment.store.ts";
import type { Context } from "../../context.ts";
import { convergePayment } from "../payments/converge-payment.ts";

/** Stripe accepts 30 minutes to 24 hours; the rest allows for the request and for a clock that is slow. */
const CHECKOUT_OPEN_MS = 35 * 60 * 1000;
/** A checkout that would stay open for less is replaced by a new one. */
const LEAST_OPEN_MS = 32 * 60 * 1000;

/** An order of credit: the charge's value plus the bonus. */
export interface Order {
  readonly kind: "package" | "custom";
  readonly packageId: string | null;
  readonly chargeMicros: Micros;
  /** The package's bonus. */
  readonly bonusMicros: Micros;
  /** As typed; null for none. Its bonus is added to the package's. */
  readonly promoCode: string | null;
  /** A new card to save, or the id of a saved one; null for a card used once. */
  readonly card: "keep" | { readonly id: string } | null;
}

interface CheckoutRequest {
  readonly order: Order;
  readonly requestKey: string | null;
  /** Must not have ended when a new payment is written, or a late request could use or save a card after all access was ended. */
  readonly session?: Pick<SessionWithCustomer, "id" | "sessionId">;
  /** Adds to a new payment, in its transaction. */
  readonly attach?: (tx: Transaction, payment: Payment) => Promise<void>;
}

/**
 * Inserts the payment, then opens a hosted checkout at Stripe or charges the saved card. Repeating the request key returns the
 * same checkout, even if the first response was lost, because Stripe's idempotency key is the payment's id and end. After an outage of minutes
 * it opens one that ends later.
 * @throws AppError payment_provider_down, rate_limited, top_up_limit_reached, payments_declined, account_frozen; conflict if
 * the key was used for another order; promo_refused for an invalid code; not_found for another customer's card; unauthenticated if the
 * session has ended meanwhile
 */
export async function startCheckout(ctx: Context, payer: Payer, request: CheckoutRequest): Promise<CheckoutResponse> {
  requireOpen(payer);
  let reserved = await reserve(ctx, payer, request);
  if ("closeFirst" in reserved) {
    await closeCheckouts(ctx, reserved.closeFirst);
    reserved = await reserve(ctx, payer, request);
  }
  if ("closeFirst" in reserved)
    throw new AppError("rate_limited", { reason: "payment_open", retryAfterSeconds: CHECKOUT_OPEN_MS / 1000 });
  const { payment } = reserved;
  if (payment.saved_card_id !== null) return payWithKeptCard(ctx, payment);
  if (payment.session_id !== null && payment.checkout_url !== null)
    return { payment_id: payment.id, session_id: payment.session_id, checkout_url: payment.checkout_url };
  const session = await createSession(ctx, payer, payment);
  await attachSession(ctx.handle.db, payment.id, session);
  return { payment_id: payment.id, session_id: session.id, checkout_url: session.url };
}

/** Charges the saved card; repeating it returns the outcome. The result page explains a failure. */
async function payWithKeptCard(ctx: Context, payment: Payment): Promise<CheckoutResponse> {
  const waits = payment.status === "created" || payment.status === "open";
  const bankPage = waits ? await placeCharge(ctx, payment) : null;
  return { payment_id: payment.id, session_id: null, checkout_url: bankPage ?? outcomePage(ctx.config, payment.id) };
}

type Reserved = { readonly payment: Payment } | { readonly closeFirst: readonly string[] };

function reserve(ctx: Context, payer: Payer, { order, requestKey, session, attach }: CheckoutRequest): Promise<Reserved> {
  return ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, payer.id);
    const known = requestKey === null ? undefined : await findPaymentByRequestKey(tx, payer.id, requestKey);
    if (known === undefined) {
      if (session !== undefined) await lockSession(tx, session);
      return reservePayment(tx, ctx, { payer, order, requestKey, ...(attach === undefined ? {} : { attach }) });
    }
    if (!isSameOrder(known, order)) throw new AppError("conflict", { reason: "repeated_with_other_card" });
    if ((await promoCodeOf(tx, known.id)) !== (order.promoCode === null ? null : readPromoCode(order.promoCode)))
      throw new AppError("conflict", { reason: "repeated_with_other_promo" });
    return { payment: isTooLate(known, ctx.clock.now()) ? await renew(tx, known, ctx.clock.now()) : known };
  });
}

/** Whether no checkout was opened for the payment in time, for example because the provider was down. */
function isTooLate({ status, session_id: session, saved_card_id: card, expires_at: end }: Payment, now: Date): boolean {
  const waits = status === "created" || status === "expired";
  return waits && session === null && card === null && end.getTime() < now.getTime() + LEAST_OPEN_MS;
}

function renew(tx: Transaction, { id, created_at: createdAt }: Payment, now: Date): Promise<Payment> {
  const expiresAt = new Date(now.getTime() + CHECKOUT_OPEN_MS);
  return reopenPayment(tx, id, { expiresAt, nextCheckAt: nextCheckAt({ created_at: createdAt, expires_at: expiresAt }, now) });
}

function isSameOrder(known: Payment, order: Order): boolean {
  const cardId = isKept(order) ? order.card.id : null;
  return (
    known.charge_micros === order.chargeMicros &&
    known.package_id === order.packageId &&
    known.saved_card_id === cardId &&
    known.keeps_card === (order.card === "keep")
  );
}

function isKept(order: Order): order is Order & { readonly card: { readonly id: string } } {
  return order.card !== null && order.card !== "keep";
}

async function reservePayment(
  tx: Transaction,
  ctx: Context,
  { payer, order, requestKey, attach }: CheckoutRequest & { payer: Payer },
): Promise<Reserved> {
  const now = ctx.clock.now();
  const known = await readPayerHistory(tx, { customerId: payer.id, now });
  const { createdAt, emailVerified } = payer;
  const { topUpLimits } = ctx.settings.current();
  const topUp = { amountMicros: order.chargeMicros, now, scale: ctx.config.limitsScale, limits: topUpLimits };
  const decision = decideTopUp({ ...known, createdAt, emailVerified }, topUp);
  if (decision.allowed) {
    const { threeDSecure } = topUpLimits[decision.tier];
    const card = await chooseCard(tx, ctx, { customerId: payer.id, card: order.card });
    const payment = { ...newPayment(payer, order, { requestKey, threeDSecure, now }), ...card };
    const promo = await reserveTypedPromo(tx, ctx, payment, order.promoCode);
    if ("heldBy" in promo) return { closeFirst: [promo.heldBy] };
    const inserted = await insertPayment(tx, { ...payment, bonus_micros: order.bonusMicros + promo.bonusMicros });
    await attach?.(tx, inserted);
    return { payment: inserted };
  }
  if (decision.closeFirst !== undefined) return { closeFirst: decision.closeFirst };
  const { rule, code, reason, params, retryAfterSeconds } = decision;
  ctx.log.warn(
    { customer: payer.id, rule, inputs: { micros: String(order.chargeMicros) } },
    "top-up refused by a rule against abuse",
  );
  throw new AppError(code, { reason, params, retryAfterSeconds });
}

/** Reserves the typed promo code for the new payment. @returns its bonus */
async function reserveTypedPromo(
  tx: Transaction,
  { config }: Context,
  { id, customer_id, charge_micros, package_id = null, created_at }: NewPayment,
  typed: string | null,
): ReturnType<typeof reservePromo> {
  if (typed === null) return { bonusMicros: 0n };
  return reservePromo(tx, config, {
    paymentId: id,
    customerId: customer_id,
    chargeMicros: charge_micros,
    packageId: package_id,
    typed,
    now: created_at,
  });
}

function newPayment(
  payer: Payer,
  order: Order,
  { requestKey, threeDSecure, now }: { requestKey: string | null; threeDSecure: Payment["three_d_secure"]; now: Date },
): NewPayment {
  const openMs = isKept(order) ? CHARGE_TRIES_MS : CHECKOUT_OPEN_MS;
  const times = { created_at: now, expires_at: new Date(now.getTime() + openMs) };
  return {
    id: uuidv7(),
    customer_id: payer.id,
    kind: order.kind,
    package_id: order.packageId,
    charge_micros: order.chargeMicros,
    request_key: requestKey,
    three_d_secure: threeDSecure,
    // A charge with a lost response is retried while its owner is still waiting.
    next_check_at: isKept(order) ? new Date(now.getTime() + CHARGE_FIRST_CHECK_MS) : nextCheckAt(times, now),
    ...times,
  };
}

async function createSession(ctx: Context, payer: Payer, payment: Payment): Promise<{ id: string; url: string }> {
  try {
    const isGuest = payer.isGuest === true;
    // A checkout with another end is another request.
    const idempotencyKey = `co:${payment.id}:${payment.expires_at.getTime()}`;
    const create = (buyer: Buyer, key: string) =>
      ctx.stripe.checkout.sessions.create(sessionParams(ctx, payment, { isGuest, buyer }), { idempotencyKey: key });
    const buyer = payment.keeps_card ? { customer: await providerCustomer(ctx, payer) } : { customer_email: payer.email };
    const session = await create(buyer, idempotencyKey).catch((error: unknown) => {
      // The page then asks for an address.
      if (isAddressRefused(error)) return create({}, `${idempotencyKey}:asks`);
      throw error;
    });
    if (session.url === null) throw new AppError("payment_provider_down", { reason: "checkout_failed" });
    return { id: session.id, url: session.url };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    ctx.log.error({ err: error, payment_id: payment.id }, "checkout session not created");
    recordRefusal(ctx, error);
    await releaseUnlessOpened(ctx, payment.id);
    throw new AppError("payment_provider_down", { reason: "checkout_failed", cause: error });
  }
}

/**
 * Releases the promo code, because a retry may be a different payment, unless a concurrent request opened the checkout, which may
 * still be paid.
 */
async function releaseUnlessOpened(ctx: Context, paymentId: string): Promise<void> {
  await ctx.transaction(async (tx) => {
    const { session_id: opened } = await lockPayment(tx, paymentId);
    if (opened === null) await releasePromo(tx, paymentId, ctx.clock.now());
  });
}

type Buyer = Pick<Stripe.Checkout.SessionCreateParams, "customer" | "customer_email">;

/** Built only from the stored payment, so that a retry sends identical parameters. */
function sessionParams(
  ctx: Context,
  payment: Payment,
  { isGuest, buyer }: { readonly isGuest: boolean; readonly buyer: Buyer },
): Stripe.Checkout.SessionCreateParams {
  const { publicUrl } = ctx.config;
  const back = isGuest ? `${publicUrl}${guestThanksPath}` : `${publicUrl}/billing/success`;
  const metadata = orderMetadata(publicUrl, payment);
  return {
    mode: "payment",
    // Only cards can be saved. Otherwise Stripe offers the methods enabled in its dashboard that suit the payer.
    ...(payment.keeps_card ? { allowed_payment_method_types: ["card" as const] } : {}),
    // The payer may pay in their own currency; the session's amounts stay in dollars.
    adaptive_pricing: { enabled: !payment.keeps_card },
    client_reference_id: payment.id,
    ...buyer,
    metadata,
    // Refund and dispute events only contain the payment intent's metadata.
    payment_intent_data: { metadata, ...(payment.keeps_card ? { setup_future_usage: "off_session" as const } : {}) },
    payment_method_options: { card: { request_three_d_secure: payment.three_d_secure } },
    expires_at: Math.floor(payment.expires_at.getTime() / 1000),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: payment.currency,
          unit_amount: toCents(payment.charge_micros),
          product_data: { name: `$${formatDollars(payment.charge_micros + payment.bonus_micros)} calling credit` },
        },
      },
    ],
    success_url: `${back}?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: isGuest ? `${publicUrl}${mailLinkPaths.creditRequest}` : `${publicUrl}/billing/cancel`,
  };
}

/**
 * Ends a checkout that its payer gave up. What the provider says afterwards holds: a payment that was paid meanwhile is credited.
 * @throws AppError not_found, also for another customer's; payment_provider_down if it may still be paid
 */
export async function endCheckout(ctx: Context, customerId: string, paymentId: string): Promise<void> {
  const { db } = ctx.handle;
  const known = isUuid(paymentId) ? await readPayment(db, paymentId) : undefined;
  if (known === undefined || known.customer_id !== customerId || known.session_id === null)
    throw new AppError("not_found", { reason: "payment_unknown" });
  if (known.status === "open") await closeCheckout(ctx, known.id);
  if ((await readPayment(db, known.id))?.status === "open")
    throw new AppError("payment_provider_down", { reason: "checkout_not_ended" });
}

/**
 * Expires abandoned checkouts, so that they no longer count against the limits. One that was just paid is credited instead.
 */
async function closeCheckouts(ctx: Context, paymentIds: readonly string[]): Promise<void> {
  await Promise.all(paymentIds.map((paymentId) => closeCheckout(ctx, paymentId)));
}

async function closeCheckout(ctx: Context, paymentId: string): Promise<void> {
  try {
    const payment = await readPayment(ctx.handle.db, paymentId);
    if (payment === undefined) return;
    if (payment.saved_card_id !== null) return await cancelCharge(ctx, payment);
    if (payment.session_id === null) return;
    // Stripe refuses this for a paid or ended checkout; the check below finds out which.
    await ctx.stripe.checkout.sessions
      .expire(payment.session_id)
      .catch((error: unknown) => ctx.log.info({ err: error, payment_id: paymentId }, "checkout not closed"));
    await convergePayment(ctx, paymentId);
  } catch (error) {
    ctx.log.warn({ err: error, payment_id: paymentId }, "checkout not checked");
  }
}
