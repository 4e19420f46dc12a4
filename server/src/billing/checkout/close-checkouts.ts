import { cancelCharge } from "./place-charge.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { readPayment } from "../record/payment.store.ts";
import type { Context } from "../../context.ts";

/**
 * Expires abandoned checkouts, so that they no longer count against the limits. One that was just paid is credited instead.
 */
export async function closeCheckouts(ctx: Context, paymentIds: readonly string[]): Promise<void> {
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
