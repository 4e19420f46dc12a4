import { releasePromo } from "../../promotions/promotions.ts";
import { markExpired } from "../record/payment.store.ts";
import type { Context } from "../../context.ts";

/** Expires a payment that the provider does not know, and releases its promo code. */
export async function expireUnknown(ctx: Context, paymentId: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    if (await markExpired(tx, paymentId, now)) await releasePromo(tx, paymentId, now);
  });
}
