import type { Payment } from "../record/payment.store.ts";
import { DEFAULT_SETTINGS } from "./auto-top-up-rules.ts";
import { readAutoTopUp } from "./auto-top-up.store.ts";
import type { Context } from "../../context.ts";

/** Payments made with low credit, the first payment excluded. */
const LOW_TIMES = 2;

/**
 * Whether to suggest automatic top-up after this payment: once per account, to customers who never had it, after the second payment
 * made with credit below the default threshold.
 */
export async function suggestsAutoTopUp(ctx: Context, payment: Payment): Promise<boolean> {
  const { db } = ctx.handle;
  if (payment.status !== "paid") return false;
  const belowMicros = DEFAULT_SETTINGS.thresholdMicros;
  const low = await ctx.ledger.lowTopUps(db, payment.customer_id, { belowMicros, limit: LOW_TIMES });
  return low[LOW_TIMES - 1] === payment.id && (await readAutoTopUp(db, payment.customer_id)) === undefined;
}
