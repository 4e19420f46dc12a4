import { sharedRateLimit, type RateLimit } from "../platform/rate-limit.ts";
import type { RobotCheckParts } from "./robot-check/robot-check.ts";
import { signInLimits, type SignInLimits } from "./sign-in-limits.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TOO_MANY_TRIES = "Too many tries. Wait a while and try again.";

/** The limits on guessing passwords, making accounts in bulk and having mails sent. */
export interface AccountLimits {
  readonly signIn: SignInLimits;
  readonly registerHour: RateLimit;
  readonly registerDay: RateLimit;
  /** Wrong passwords of somebody who is signed in. */
  readonly ownPassword: RateLimit;
  /** Codes of a second factor for one customer, wherever they are entered. */
  readonly codeTries: RateLimit;
  readonly verifyHour: RateLimit;
  readonly verifyDay: RateLimit;
  /** Links from mails, tried from one network. */
  readonly linkNetwork: RateLimit;
  /** Wishes for a new password from one network. */
  readonly resetNetwork: RateLimit;
  /** Mails with a new password's link to one customer. */
  readonly resetAccount: RateLimit;
  readonly emailChange: RateLimit;
}

/** Signing in and proving it again share this count. */
export function codeTriesLimit(handle: RobotCheckParts["handle"], scale: number): RateLimit {
  return sharedRateLimit(handle, { name: "second-factor", points: 5, perSeconds: 10 * MINUTE, scale });
}

/** @param scale multiplies every limit; 0 turns them off */
export function accountLimits(parts: RobotCheckParts, scale: number): AccountLimits {
  const limit = (name: string, points: number, perSeconds: number) =>
    sharedRateLimit(parts.handle, { name, points, perSeconds, scale, message: TOO_MANY_TRIES });
  return {
    signIn: signInLimits(parts, scale),
    registerHour: limit("register-hour", 5, HOUR),
    registerDay: limit("register-day", 20, DAY),
    codeTries: codeTriesLimit(parts.handle, scale),
    ownPassword: limit("own-password", 10, 15 * MINUTE),
    verifyHour: limit("verify-hour", 3, HOUR),
    verifyDay: limit("verify-day", 10, DAY),
    linkNetwork: limit("link-network", 60, 15 * MINUTE),
    resetNetwork: limit("reset-network", 10, HOUR),
    resetAccount: limit("reset-account", 3, HOUR),
    emailChange: limit("email-change", 3, HOUR),
  };
}
