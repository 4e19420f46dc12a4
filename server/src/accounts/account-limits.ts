import type { DatabaseHandle } from "../platform/database.ts";
import { sharedRateLimit, type RateLimit } from "../platform/rate-limit.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TOO_MANY_TRIES = "Too many tries. Wait a while and try again.";

/** The limits on guessing passwords and on making accounts in bulk. */
export interface AccountLimits {
  readonly registerHour: RateLimit;
  readonly registerDay: RateLimit;
  /** Wrong passwords of one account. */
  readonly loginAccount: RateLimit;
  /** Wrong passwords from one network. */
  readonly loginNetwork: RateLimit;
}

/** @param scale multiplies every limit; 0 turns them off */
export function accountLimits(handle: DatabaseHandle, scale: number): AccountLimits {
  const limit = (name: string, points: number, perSeconds: number) =>
    sharedRateLimit(handle, { name, points, perSeconds, scale, message: TOO_MANY_TRIES });
  return {
    registerHour: limit("register-hour", 5, HOUR),
    registerDay: limit("register-day", 20, DAY),
    loginAccount: limit("login-account", 5, 15 * MINUTE),
    loginNetwork: limit("login-network", 20, 15 * MINUTE),
  };
}
