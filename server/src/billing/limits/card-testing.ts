import { DAY_MS } from "@farline/domain/durations.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { DECLINES_BEFORE_CHECK } from "@farline/domain/business/top-up-limits.ts";
import type { Payment, Payer } from "../record/payment.store.ts";
import { insertDeclines, countDeclines } from "./payer-history.store.ts";
import type { Context, ServiceContext } from "../../context.ts";
import { requireProof } from "../../accounts/accounts.ts";

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

/**
 * Requires a proof of work from a payer with many declined cards, which makes card testing expensive.
 * @throws AppError challenge_required
 */
export async function checkRobots(ctx: ServiceContext, payer: Payer, proof: RobotProof | undefined): Promise<void> {
  const { limitsScale } = ctx.config;
  if (limitsScale === 0) return;
  const declines = await countDeclines(ctx.handle.db, payer.id, new Date(ctx.clock.now().getTime() - DAY_MS));
  if (declines < Math.ceil(DECLINES_BEFORE_CHECK * limitsScale)) return;
  ctx.log.info({ customer: payer.id, rule: "robot_check", inputs: { declines } }, "checkout requires a proof of work");
  await requireProof(ctx, "checkout", proof);
}
