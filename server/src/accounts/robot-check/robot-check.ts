import type { RobotProof } from "@farline/contract/robot-check.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { checkProof, issueChallenge, type ChallengePurpose } from "./proof-of-work.ts";
import { spendChallenge } from "./robot-check.store.ts";
import type { ServiceContext } from "../../context.ts";

/**
 * Lets a request pass only with a solved challenge, which it consumes. No third party takes part and nothing is
 * learnt about the person: many requests cost much work, one costs little.
 * @throws AppError challenge_required with a new challenge, if the proof is missing, wrong or expired
 */
export async function requireProof(
  { handle, clock, config, costs }: ServiceContext,
  purpose: ChallengePurpose,
  proof: RobotProof | undefined,
): Promise<void> {
  const now = clock.now();
  const checked = proof === undefined ? null : checkProof(config.secretKeys, purpose, proof, { now, bits: costs.proofBits });
  if (checked !== null && (await spendChallenge(handle.db, checked))) return;
  const challenge = issueChallenge(config.secretKeys, purpose, now, costs.proofBits);
  throw new AppError("challenge_required", { challenge });
}
