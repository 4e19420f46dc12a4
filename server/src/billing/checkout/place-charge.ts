import { Stripe } from "stripe";
import { releasePromo } from "../../promotions/promotions.ts";
import { toCents } from "../record/cents.ts";
import { orderMetadata } from "../record/provider-metadata.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { recordDeclines } from "../limits/card-testing.ts";
import { lockPayment, refusePayment, markExpired, type Payment } from "../record/payment.store.ts";
import { bookAutoOutcome } from "../cards/book-auto-outcome.ts";
import { type ChargeOrder, readChargeOrder } from "../cards/saved-card.store.ts";
import { isMissing, recordRefusal } from "../record/provider-refusals.ts";
import type { Context } from "../../context.ts";

/**
 * How long a charge with a lost response is retried with the same key, and the owner can authenticate at the bank. Afterwards the
 * provider's list decides.
 */
export const CHARGE_TRIES_MS = 10 * 60 * 1000;
/** The response normally arrives within seconds. */
export const CHARGE_FIRST_CHECK_MS = 30_000;
/** Our failure code for a charge that the provider does not attempt, because the card no longer exists there. */
export const CARD_UNUSABLE = "card_unusable";
/** Codes of refusals that are about the card (docs.stripe.com/error-codes). */
const ABOUT_CARD = /^(?:payment_method|payment_intent_mandate)_/;

/**
 * Charges the card at the provider and converges the payment to the outcome. The payment's id is the idempotency key, so repeating
 * it never charges twice. The poller completes undecided charges.
 * @returns the bank's authentication page; null if none is needed or the owner is not present
 */
export async function placeCharge(ctx: Context, payment: Payment): Promise<string | null> {
  const order = await readChargeOrder(ctx.handle.db, payment.id);
  // Before a retry. An earlier attempt may have succeeded; the provider's list will show it.
  if (order.revoked) return null;
  const placed = await createIntent(ctx, payment, order);
  if (placed === "unusable") await refuse(ctx, payment);
  if (placed === "unusable" || placed === "unknown") return null;
  const { status } = await convergePayment(ctx, payment.id, { intentId: placed.intentId });
  // For the limits. The provider's event also reports it, but may be lost.
  if (status === "failed") await recordDeclines(ctx, payment, placed.intentId);
  // A retry returns the first response, although the owner may have authenticated since.
  return status === "open" ? placed.bankPage : null;
}

type Placed = { readonly intentId: string; readonly bankPage: string | null } | "unusable" | "unknown";

async function createIntent(ctx: Context, payment: Payment, order: ChargeOrder): Promise<Placed> {
  try {
    const intent = await ctx.stripe.paymentIntents.create(
      {
        amount: toCents(payment.charge_micros),
        currency: payment.currency,
        customer: order.providerCustomerId,
        payment_method: order.paymentMethodId,
        confirm: true,
        metadata: orderMetadata(ctx.config.publicUrl, payment),
        ...(payment.kind === "auto" ? WITHOUT_OWNER : withOwner(ctx, payment)),
      },
      { idempotencyKey: `${payment.kind === "auto" ? "auto" : "pay"}:${payment.id}` },
    );
    return { intentId: intent.id, bankPage: intent.next_action?.redirect_to_url?.url ?? null };
  } catch (error) {
    const declined = error instanceof Stripe.errors.StripeCardError ? error.payment_intent?.id : undefined;
    if (declined !== undefined) return { intentId: declined, bankPage: null };
    ctx.log.warn({ err: error, payment_id: payment.id }, "charge of a saved card not placed");
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return "unknown";
    if (ABOUT_CARD.test(error.code ?? "") || (await isCardGone(ctx, order))) return "unusable";
    recordRefusal(ctx, error);
    return "unknown";
  }
}

/** Whether the provider no longer has the card, or not for this customer. Otherwise it refuses us, for example because our account may not charge. */
async function isCardGone({ stripe, log }: Context, { paymentMethodId, providerCustomerId }: ChargeOrder): Promise<boolean> {
  try {
    return (await stripe.paymentMethods.retrieve(paymentMethodId)).customer !== providerCustomerId;
  } catch (error) {
    if (isMissing(error)) return true;
    log.warn({ err: error }, "saved card not read");
    return false;
  }
}

/** Off-session: if the bank requires authentication it declines, and the customer gets a mail. */
const WITHOUT_OWNER: Partial<Stripe.PaymentIntentCreateParams> = { off_session: true, error_on_requires_action: true };

function withOwner({ config }: Context, { id, three_d_secure }: Payment): Partial<Stripe.PaymentIntentCreateParams> {
  return {
    return_url: outcomePage(config, id),
    payment_method_options: { card: { request_three_d_secure: three_d_secure } },
  };
}

/** The result page of a payment without a checkout. */
export function outcomePage({ publicUrl }: Context["config"], paymentId: string): string {
  return `${publicUrl}/billing/success?payment_id=${paymentId}`;
}

/** Fails a payment whose card was not charged and never will be. */
async function refuse(ctx: Context, payment: Payment): Promise<void> {
  await ctx.transaction(async (tx) => {
    const now = ctx.clock.now();
    if ((await lockPayment(tx, payment.id)).status !== "created") return;
    const refused = await refusePayment(tx, payment.id, { failureCode: CARD_UNUSABLE, now });
    if (refused.kind === "auto") await bookAutoOutcome(tx, ctx, refused);
    await releasePromo(tx, payment.id, now);
  });
  ctx.live.publish(payment.customer_id, { type: "payment", id: payment.id });
}

/**
 * Resumes a charge with an unknown outcome: the service crashed, the provider's response was lost, or the card's owner did not
 * authenticate in time.
 */
export async function finishCharge(ctx: Context, payment: Payment): Promise<void> {
  const isOver = ctx.clock.now() >= payment.expires_at;
  if (payment.payment_intent_id === null && !isOver) {
    await placeCharge(ctx, payment);
    return;
  }
  const known = await convergePayment(ctx, payment.id);
  // The charge is not in the provider's list.
  if (known.status === "created") await expireUnknown(ctx, payment.id);
  if (known.status === "open" && isOver) await cancelCharge(ctx, known);
}

/** Cancels a charge that its owner did not authenticate. One that was just authenticated is credited instead. */
export async function cancelCharge(ctx: Context, payment: Payment): Promise<void> {
  if (payment.payment_intent_id === null) return;
  // The provider refuses this for a paid or ended charge; the check below finds out which.
  await ctx.stripe.paymentIntents
    .cancel(payment.payment_intent_id)
    .catch((error: unknown) => ctx.log.info({ err: error, payment_id: payment.id }, "charge not cancelled"));
  await convergePayment(ctx, payment.id);
}

/** Expires a payment that the provider does not know, and releases its promo code. */
export async function expireUnknown(ctx: Context, paymentId: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    if (await markExpired(tx, paymentId, now)) await releasePromo(tx, paymentId, now);
  });
}
