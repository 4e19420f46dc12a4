import type { BillingDependencies } from "../billing-dependencies.ts";
import { cancelCharge } from "./place-charge.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { readPayment } from "../record/payment.store.ts";

/**
 * Expires abandoned checkouts, so that they no longer count against the limits. One paid at the last
 * moment is credited instead.
 */
export async function closeCheckouts(deps: BillingDependencies, paymentIds: readonly string[]): Promise<void> {
  await Promise.all(paymentIds.map((paymentId) => closeCheckout(deps, paymentId)));
}

async function closeCheckout(deps: BillingDependencies, paymentId: string): Promise<void> {
  try {
    const payment = await readPayment(deps.handle.db, paymentId);
    if (payment === undefined) return;
    if (payment.saved_card_id !== null) return await cancelCharge(deps, payment);
    if (payment.session_id === null) return;
    // Stripe refuses this for a paid or ended checkout; the check that follows tells which.
    await deps.stripe.checkout.sessions
      .expire(payment.session_id)
      .catch((error: unknown) => deps.log.info({ err: error, payment_id: paymentId }, "checkout not closed"));
    await convergePayment(deps, paymentId);
  } catch (error) {
    deps.log.warn({ err: error, payment_id: paymentId }, "checkout not checked");
  }
}
