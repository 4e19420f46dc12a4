import { convergePayment } from "./converge-payment.ts";
import { placeRefund } from "../refunds/place-refund.ts";
import { claimDueRefunds } from "../refunds/refund.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 50;
const MINUTE_S = 60;
/** Delay after the first, second … attempt; the last one repeats. */
const DELAYS_S = [5 * MINUTE_S, 15 * MINUTE_S, 60 * MINUTE_S, 6 * 60 * MINUTE_S];

/** Job: sends refunds that may not have reached the provider, and polls those that are pending at a bank. */
export async function pushRefunds(ctx: Context, signal: AbortSignal): Promise<void> {
  const due = await claimDueRefunds(ctx.handle.db, { now: ctx.clock.now(), limit: MAX_PER_RUN, delaysSeconds: DELAYS_S });
  for (const refund of due) {
    if (signal.aborted) return;
    if (refund.status === "ordered") await placeRefund(ctx, refund.id);
    else
      await convergePayment(ctx, refund.payment_id, { reversals: ["refunds"] }).catch((error: unknown) =>
        ctx.log.warn({ err: error, refund_id: refund.id }, "refund not checked"),
      );
  }
}
