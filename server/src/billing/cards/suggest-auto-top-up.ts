import type { Payment } from "../record/payment.store.ts";
import { DEFAULT_SETTINGS } from "./auto-top-up-rules.ts";
import { readAutoTopUp } from "./auto-top-up.store.ts";
import type { Context } from "../../context.ts";

/** The customer has let the credit run low this often, the first payment not counted. */
const LOW_TIMES = 2;

/**
 * Whether the page after this payment suggests automatic top-ups: to customers who never had them, after the second payment
 * that found the credit below the default threshold, and so once in an account's life.
 */
export async function suggestsAutoTopUp(ctx: Context, payment: Payment): Promise<boolean> {
  const { db } = ctx.handle;
  if (payment.status !== "paid") return false;
  const belowMicros = DEFAULT_SETTINGS.thresholdMicros;
  const low = await ctx.ledger.lowTopUps(db, payment.customer_id, { belowMicros, limit: LOW_TIMES });
  return low[LOW_TIMES - 1] === payment.id && (await readAutoTopUp(db, payment.customer_id)) === undefined;
}
