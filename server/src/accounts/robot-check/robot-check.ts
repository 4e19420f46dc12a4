import type { RobotProof } from "@farline/contract/robot-check.ts";
import { AppError } from "../../platform/app-error.ts";
import { checkProof, issueChallenge, type ChallengePurpose } from "./proof-of-work.ts";
import { consumeRobotChallenge } from "./robot-check.store.ts";
import type { ServiceContext } from "../../context.ts";

/**
 * Requires a solved challenge, and consumes it. Involves no third party and learns nothing about the person: one
 * request costs little work, many cost a lot.
 * @throws AppError challenge_required with a new challenge, if the proof is missing, wrong or expired
 */
export async function requireProof(
  { handle, clock, config, costs }: ServiceContext,
  purpose: ChallengePurpose,
  proof: RobotProof | undefined,
): Promise<void> {
  const now = clock.now();
  const checked = proof === undefined ? null : checkProof(config.secretKeys, purpose, proof, { now, bits: costs.proofBits });
  if (checked !== null && (await consumeRobotChallenge(handle.db, checked))) return;
  const challenge = issueChallenge(config.secretKeys, purpose, now, costs.proofBits);
  throw new AppError("challenge_required", { challenge });
}
