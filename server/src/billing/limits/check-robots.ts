import { DAY_MS } from "@farline/domain/durations.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { requireProof } from "../../accounts/accounts.ts";
import type { BillingDependencies, Payer } from "../billing-dependencies.ts";
import { countDeclines } from "./payer-history.store.ts";
import { DECLINES_BEFORE_CHECK } from "../record/top-up-limits.ts";

/**
 * Requires a proof of work from a payer with many declined cards: card testers start many
 * checkouts, and each then costs work.
 * @throws AppError challenge_required
 */
export async function checkRobots(
  deps: Pick<BillingDependencies, "handle" | "clock" | "config" | "log">,
  payer: Payer,
  proof: RobotProof | undefined,
): Promise<void> {
  const { limitsScale } = deps.config;
  if (limitsScale === 0) return;
  const declines = await countDeclines(deps.handle.db, payer.id, new Date(deps.clock.now().getTime() - DAY_MS));
  if (declines < Math.ceil(DECLINES_BEFORE_CHECK * limitsScale)) return;
  deps.log.info({ customer: payer.id, rule: "robot_check", inputs: { declines } }, "checkout requires a proof of work");
  await requireProof(deps, "checkout", proof);
}
