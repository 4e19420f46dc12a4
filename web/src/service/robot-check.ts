import type { RobotChallenge, RobotProof } from "@farline/contract/robot-check.ts";
// oxlint-disable-next-line import/default -- the build gives the address of the worker it makes of this file
import solverPath from "../worker/solve-challenge.ts?worker&url";
import { ApiError, requireSession } from "./http.ts";
import { i18n } from "../text/i18n.ts";
import { after } from "../time/timers.ts";
import { getToken } from "../session/session.ts";
import { workerAddress } from "../browser/workers.ts";

/** A proof may expire once, on a device that went to sleep. */
const MAX_CHALLENGES = 3;
/** A challenge's lifetime. */
const MAX_AGE_MS = 5 * 60 * 1000;

/**
 * Sends a request. If the service responds `challenge_required`, solves the challenge in a worker, so that the page stays
 * responsive, and sends the request again with the proof.
 * @param onChecking called before and after a challenge is solved
 * @throws ApiError of the request, or `challenge_required` when this browser cannot solve it
 */
export async function withProof<Result>(
  send: (proof?: RobotProof) => Promise<Result>,
  onChecking: (checking: boolean) => void,
): Promise<Result> {
  const token = getToken();
  let proof: RobotProof | undefined;
  for (let challenges = 0; ; challenges++) {
    try {
      return await send(proof);
    } catch (error) {
      if (!(error instanceof ApiError) || error.challenge === undefined) throw error;
      if (challenges === MAX_CHALLENGES) throw checkFailed();
      onChecking(true);
      proof = await solve(error.challenge).finally(() => onChecking(false));
      requireSession(token);
    }
  }
}

async function solve(challenge: RobotChallenge): Promise<RobotProof> {
  const end = new AbortController();
  try {
    const worker = new Worker(workerAddress(solverPath));
    end.signal.addEventListener("abort", () => worker.terminate());
    const counters = await new Promise<number[]>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<number[]>) => resolve(data));
      worker.addEventListener("error", reject);
      end.signal.addEventListener("abort", after(MAX_AGE_MS, reject));
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage(challenge);
    });
    return { token: challenge.token, counters };
  } catch {
    throw checkFailed();
  } finally {
    end.abort();
  }
}

function checkFailed(): ApiError {
  return new ApiError(403, "challenge_required", i18n.t("robotCheckFailed"));
}
