import type { DatabaseHandle } from "../../platform/database/database.ts";
import { sharedRateLimit } from "../../platform/http/rate-limit.ts";
import { PROMO_CHECKS } from "../promotion-limits.ts";

/** Runs a function that checks a typed code; an error or a result that `isGuess` counts as a guess. */
export type GuessLimit = <Result>(
  customerId: string,
  run: () => Promise<Result>,
  isGuess?: (result: Result) => boolean,
) => Promise<Result>;

/**
 * Limits a customer's wrong codes, counting previews and top-ups together.
 * @returns a function that throws AppError rate_limited after too many
 */
export function limitGuesses(handle: DatabaseHandle, scale: number): GuessLimit {
  const limit = sharedRateLimit(handle, {
    name: "promo_guess",
    ...PROMO_CHECKS,
    scale,
    reason: "promo_tries_used",
  });
  return async (customerId, run, isGuess = () => false) => {
    await limit.take(customerId);
    const result = await run();
    if (!isGuess(result)) await limit.giveBack(customerId);
    return result;
  };
}
