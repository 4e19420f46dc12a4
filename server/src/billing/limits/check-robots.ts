import { DAY_MS } from "@farline/domain/durations.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { requireProof } from "../../accounts/accounts.ts";
import { countDeclines } from "./payer-history.store.ts";
import { DECLINES_BEFORE_CHECK } from "@farline/domain/business/top-up-limits.ts";
import type { Payer } from "../payer.ts";
import type { ServiceContext } from "../../context.ts";

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
