import type { DatabaseHandle } from "../../platform/database/database.ts";
import { sharedRateLimit } from "../../platform/http/rate-limit.ts";
import { PROMO_CHECKS } from "../promotion-limits.ts";

/** Does work with a code that a customer typed; counts it as a guess when it throws or `isGuess` says so of its result. */
export type GuessLimit = <Result>(
  customerId: string,
  work: () => Promise<Result>,
  isGuess?: (result: Result) => boolean,
) => Promise<Result>;

/**
 * Limits a customer's wrong codes, counting previews and top-ups together.
 * @returns what throws AppError rate_limited instead of working when it was too many
 */
export function limitGuesses(handle: DatabaseHandle, scale: number): GuessLimit {
  const limit = sharedRateLimit(handle, {
    name: "promo_guess",
    ...PROMO_CHECKS,
    scale,
    text: "Too many promo codes were tried.",
  });
  return async (customerId, work, isGuess = () => false) => {
    await limit.take(customerId);
    const result = await work();
    if (!isGuess(result)) await limit.giveBack(customerId);
    return result;
  };
}
