import { formatDollars, type Micros } from "@farline/domain/money.ts";
import type { CheckoutResponse } from "@farline/contract/billing.ts";
import { Stripe } from "stripe";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database.ts";
import type { BillingParts, Payer } from "./billing-parts.ts";
import { toCents } from "./cents.ts";
import { nextCheckAt } from "./check-schedule.ts";
import {
  attachSession,
  checkoutTimes,
  findPaymentByRequestKey,
  insertPayment,
  takeTurn,
  type NewPayment,
  type Payment,
} from "./payment.store.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Stripe takes 30 minutes to 24 hours; one minute goes to the way there. */
const CHECKOUT_OPEN_MS = 31 * 60 * 1000;
/** Younger payments without a checkout may be about to get one; older ones never will. */
const STARTING_MS = 60 * 1000;
/** Someone who tests stolen cards needs many checkouts. */
const CHECKOUTS_PER_HOUR = 5;
const CHECKOUTS_PER_DAY = 10;

/** What is bought: the credit is worth the charge, the bonus comes on top. */
export interface Order {
  readonly kind: "package" | "custom";
  readonly packageId: string | null;
  readonly chargeMicros: Micros;
  readonly bonusMicros: Micros;
}

/**
 * Writes the payment down, then asks Stripe for a hosted checkout. A repetition with the same request key answers the
 * same checkout; also when the first answer got lost on its way, because Stripe's idempotency key is the payment's id.
 * @throws AppError payment_provider_down, rate_limited, account_frozen; conflict when the key was used for another order
 */
export async function startCheckout(
  parts: BillingParts,
  payer: Payer,
  request: { order: Order; requestKey: string | null },
): Promise<CheckoutResponse> {
  if (payer.status === "frozen") throw new AppError("account_frozen", "Your account is frozen. Contact support.");
  const payment = await parts.handle.db.transaction().execute((tx) => reservePayment(tx, parts, { payer, ...request }));
  if (payment.session_id !== null && payment.checkout_url !== null)
    return { payment_id: payment.id, session_id: payment.session_id, checkout_url: payment.checkout_url };
  const session = await createSession(parts, payer, payment);
  await attachSession(parts.handle.db, payment.id, session);
  return { payment_id: payment.id, session_id: session.id, checkout_url: session.url };
}

async function reservePayment(
  tx: Tx,
  parts: BillingParts,
  { payer, order, requestKey }: { payer: Payer; order: Order; requestKey: string | null },
): Promise<Payment> {
  await takeTurn(tx, payer.id);
  const known = requestKey === null ? undefined : await findPaymentByRequestKey(tx, payer.id, requestKey);
  if (known !== undefined) {
    const same = known.charge_micros === order.chargeMicros && known.package_id === order.packageId;
    if (!same) throw new AppError("conflict", "This request was sent before with another amount.");
    return known;
  }
  const now = parts.clock.now();
  await refuseTooMany(tx, parts, payer.id);
  const payment: NewPayment = {
    id: uuidv7(),
    customer_id: payer.id,
    kind: order.kind,
    package_id: order.packageId,
    charge_micros: order.chargeMicros,
    bonus_micros: order.bonusMicros,
    request_key: requestKey,
    session_id: null,
    checkout_url: null,
    payment_intent_id: null,
    last_check_at: null,
    settled_at: null,
    created_at: now,
    expires_at: new Date(now.getTime() + CHECKOUT_OPEN_MS),
    next_check_at: null,
  };
  return insertPayment(tx, { ...payment, next_check_at: nextCheckAt(payment, now) });
}

async function refuseTooMany(tx: Tx, parts: BillingParts, customerId: string): Promise<void> {
  const scale = parts.config.limitsScale;
  if (scale === 0) return;
  const now = parts.clock.now().getTime();
  const times = await checkoutTimes(tx, {
    customerId,
    since: new Date(now - DAY_MS),
    startingSince: new Date(now - STARTING_MS),
  });
  for (const [limit, windowMs] of [
    [Math.ceil(CHECKOUTS_PER_HOUR * scale), HOUR_MS],
    [Math.ceil(CHECKOUTS_PER_DAY * scale), DAY_MS],
  ] as const) {
    const freesAt = (times[limit - 1]?.getTime() ?? 0) + windowMs;
    if (freesAt > now)
      throw new AppError("rate_limited", "You started too many payments. Try again later.", {
        retryAfterSeconds: Math.ceil((freesAt - now) / 1000),
      });
  }
}

async function createSession(parts: BillingParts, payer: Payer, payment: Payment): Promise<{ id: string; url: string }> {
  try {
    const session = await parts.stripe.checkout.sessions.create(sessionParams(parts, payer, payment), {
      idempotencyKey: `co:${payment.id}`,
    });
    if (session.url === null) throw new AppError("payment_provider_down", "Failed to create checkout session");
    return { id: session.id, url: session.url };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    parts.log.error({ err: error, payment_id: payment.id }, "checkout session not created");
    throw new AppError("payment_provider_down", "Failed to create checkout session", { cause: error });
  }
}

/** Made from the stored payment alone, so that a repetition sends the same. */
function sessionParams(parts: BillingParts, payer: Payer, payment: Payment): Stripe.Checkout.SessionCreateParams {
  const { publicUrl } = parts.config;
  const metadata = { payment_id: payment.id };
  return {
    mode: "payment",
    allowed_payment_method_types: ["card"],
    // Otherwise Stripe may charge in the payer's own currency, and the amount would no longer be ours.
    adaptive_pricing: { enabled: false },
    client_reference_id: payment.id,
    customer_email: payer.email,
    metadata,
    // Refund and dispute events carry only what the payment intent knows.
    payment_intent_data: { metadata },
    expires_at: Math.floor(payment.expires_at.getTime() / 1000),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: payment.currency,
          unit_amount: toCents(payment.charge_micros),
          product_data: { name: productName(payment) },
        },
      },
    ],
    success_url: `${publicUrl}/billing/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${publicUrl}/billing/cancel`,
  };
}

function productName({ charge_micros: charge, bonus_micros: bonus }: Payment): string {
  return `$${formatDollars(charge + bonus)} calling credit`;
}
