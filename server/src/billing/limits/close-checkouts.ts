import type { BillingDependencies } from "../billing-dependencies.ts";
import { cancelCharge } from "../auto-top-up/place-charge.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { readPayment } from "../payments/payment.store.ts";

/**
 * Expires abandoned checkouts, so that they no longer count against the limits. One paid at the last
 * moment is credited instead.
 */
export async function closeCheckouts(parts: BillingDependencies, paymentIds: readonly string[]): Promise<void> {
  await Promise.all(paymentIds.map((paymentId) => closeCheckout(parts, paymentId)));
}

async function closeCheckout(parts: BillingDependencies, paymentId: string): Promise<void> {
  try {
    const payment = await readPayment(parts.handle.db, paymentId);
    if (payment === undefined) return;
    if (payment.saved_card_id !== null) return await cancelCharge(parts, payment);
    if (payment.session_id === null) return;
    // Stripe refuses this for a paid or ended checkout; the check that follows tells which.
    await parts.stripe.checkout.sessions
      .expire(payment.session_id)
      .catch((error: unknown) => parts.log.info({ err: error, payment_id: paymentId }, "checkout not closed"));
    await convergePayment(parts, paymentId);
  } catch (error) {
    parts.log.warn({ err: error, payment_id: paymentId }, "checkout not checked");
  }
}
