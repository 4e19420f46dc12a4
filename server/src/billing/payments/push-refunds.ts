import { convergePayment } from "./converge-payment.ts";
import { placeRefund } from "../refunds/place-refund.ts";
import { takeDueRefunds } from "../refunds/refund.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 50;
const MINUTE_S = 60;
/** After the first, second … attempt; the last repeats. */
const DELAYS_S = [5 * MINUTE_S, 15 * MINUTE_S, 60 * MINUTE_S, 6 * 60 * MINUTE_S];

/** Sends refunds not known to have reached the provider, and polls those that a bank delays. */
export async function pushRefunds(ctx: Context, signal: AbortSignal): Promise<void> {
  const due = await takeDueRefunds(ctx.handle.db, { now: ctx.clock.now(), limit: MAX_PER_RUN, delaysSeconds: DELAYS_S });
  for (const refund of due) {
    if (signal.aborted) return;
    if (refund.status === "ordered") await placeRefund(ctx, refund.id);
    else
      await convergePayment(ctx, refund.payment_id, { aftermath: ["refunds"] }).catch((error: unknown) =>
        ctx.log.warn({ err: error, refund_id: refund.id }, "refund not checked"),
      );
  }
}
