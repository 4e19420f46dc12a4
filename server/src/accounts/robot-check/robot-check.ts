import type { RobotProof } from "@farline/contract/robot-check.ts";
import { AppError } from "../../platform/http/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { DatabaseHandle } from "../../platform/database/database.ts";
import { checkProof, issueChallenge, type ChallengePurpose } from "./proof-of-work.ts";
import { spendChallenge } from "./robot-check.store.ts";

/** Dependencies of the check against robots. */
export interface RobotCheckDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "secretKeys">;
  /** Replaces the contract's `PROOF_BITS`. */
  readonly proofBits?: number;
}

/**
 * Lets a request pass only with a solved challenge, which it consumes. No third party takes part and nothing is
 * learnt about the person: many requests cost much work, one costs little.
 * @throws AppError challenge_required with a new challenge, if the proof is missing, wrong or expired
 */
export async function requireProof(
  { handle, clock, config, proofBits }: RobotCheckDependencies,
  purpose: ChallengePurpose,
  proof: RobotProof | undefined,
): Promise<void> {
  const now = clock.now();
  const checked = proof === undefined ? null : checkProof(config.secretKeys, purpose, proof, { now, bits: proofBits });
  if (checked !== null && (await spendChallenge(handle.db, checked))) return;
  const challenge = issueChallenge(config.secretKeys, purpose, now, proofBits);
  throw new AppError("challenge_required", { challenge });
}
