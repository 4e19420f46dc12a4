import { Stripe } from "stripe";
import type { OperatorParts } from "../billing-parts.ts";
import { toCents } from "../cents.ts";
import { convergePayment } from "../converge-payment.ts";
import { noteDeclines } from "../limits/note-declines.ts";
import { expireUnknown, lockPayment, refusePayment, type Payment } from "../payment.store.ts";
import { bookAutoOutcome } from "./book-auto-outcome.ts";
import { chargeOrderOf } from "./saved-card.store.ts";

/** For so long a charge whose answer got lost is asked for again, with the same key; then the provider's list decides. */
export const CHARGE_TRIES_MS = 10 * 60 * 1000;
/** What we call a charge that the provider does not even try: the card is gone there. */
const UNUSABLE = "card_unusable";

/**
 * Asks the provider to charge the card, and brings the payment to what came of it. The payment's id is the key, so that a
 * repetition finds the charge that was made and never makes a second one. What cannot be told now the poller finishes.
 */
export async function placeCharge(parts: OperatorParts, payment: Payment): Promise<void> {
  const order = await chargeOrderOf(parts.handle.db, payment.id);
  if (order === undefined) throw new Error(`Payment ${payment.id} has no card.`);
  // Removed while the charge waited to be repeated: it may have been made before, which the provider's list tells later.
  if (order.removed) return;
  const placed = await createIntent(parts, payment, order);
  if (placed === "unusable") await refuse(parts, payment);
  if (placed === "unusable" || placed === "unknown") return;
  const { status } = await convergePayment(parts, payment.id, { intentId: placed.intentId });
  // For the limits; the provider's event tells it too, but may get lost.
  if (status === "failed") await noteDeclines(parts, payment, placed.intentId);
}

type Placed = { readonly intentId: string } | "unusable" | "unknown";

async function createIntent(
  parts: OperatorParts,
  payment: Payment,
  order: { providerCustomerId: string; paymentMethodId: string },
): Promise<Placed> {
  try {
    const intent = await parts.stripe.paymentIntents.create(
      {
        amount: toCents(payment.charge_micros),
        currency: payment.currency,
        customer: order.providerCustomerId,
        payment_method: order.paymentMethodId,
        off_session: true,
        confirm: true,
        // Nobody is there to be asked: the bank says no instead, and the customer gets a mail.
        error_on_requires_action: true,
        metadata: { payment_id: payment.id, kind: "auto" },
      },
      { idempotencyKey: `auto:${payment.id}` },
    );
    return { intentId: intent.id };
  } catch (error) {
    const declined = error instanceof Stripe.errors.StripeCardError ? error.payment_intent?.id : undefined;
    if (declined !== undefined) return { intentId: declined };
    parts.log.warn({ err: error, payment_id: payment.id }, "automatic top-up not placed");
    return error instanceof Stripe.errors.StripeInvalidRequestError ? "unusable" : "unknown";
  }
}

/** Nothing was charged and nothing will be. */
async function refuse(parts: OperatorParts, payment: Payment): Promise<void> {
  await parts.handle.db.transaction().execute(async (tx) => {
    const now = parts.clock.now();
    if ((await lockPayment(tx, payment.id)).status !== "created") return;
    const refused = await refusePayment(tx, payment.id, { failureCode: UNUSABLE, now });
    await bookAutoOutcome(tx, parts, refused);
  });
  parts.live.publish(payment.customer_id, { type: "payment", id: payment.id });
}

/** Goes on with a charge whose end is not known here: the service died, or the provider's answer did not come. */
export async function finishCharge(parts: OperatorParts, payment: Payment): Promise<void> {
  const now = parts.clock.now();
  if (payment.payment_intent_id === null && now < payment.expires_at) return placeCharge(parts, payment);
  const { status } = await convergePayment(parts, payment.id);
  // The provider was asked for its list, and it is not there.
  if (status === "created") await expireUnknown(parts.handle.db, payment.id, now);
}
