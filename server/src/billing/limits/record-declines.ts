import type { Payment } from "../record/payment.store.ts";
import { insertDeclines } from "./payer-history.store.ts";
import type { Context } from "../../context.ts";

const MAX_LISTED = 100;

/** Reads a payment's declined charges from Stripe and records them for the limits. */
export async function recordDeclines(ctx: Context, payment: Payment, paymentIntentId: string): Promise<void> {
  const { data } = await ctx.stripe.charges.list({ payment_intent: paymentIntentId, limit: MAX_LISTED });
  const declined = data.filter((charge) => charge.status === "failed");
  await insertDeclines(
    ctx.handle.db,
    declined.map((charge) => ({
      id: charge.id,
      payment_id: payment.id,
      customer_id: payment.customer_id,
      card_fingerprint: charge.payment_method_details?.card?.fingerprint ?? null,
      code: charge.failure_code ?? "unknown",
      failed_at: new Date(charge.created * 1000),
    })),
  );
}
