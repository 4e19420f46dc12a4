import { createHash } from "node:crypto";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle } from "../platform/database.ts";
import { sharedRateLimit } from "../platform/rate-limit.ts";
import { emailKey } from "./accounts.store.ts";
import { isKnownBrowser } from "./known-browser.store.ts";
import { clearTries, giveTryBack, takeTry, type GuardRule } from "./sign-in-guard.store.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const TOO_MANY_TRIES = "Too many tries. Wait a while and try again.";
const FREE_TRIES = 5;
const LOCKS: Omit<GuardRule, "freeTries"> = {
  windowSeconds: 15 * MINUTE,
  firstLockSeconds: MINUTE,
  longestLockSeconds: HOUR,
  forgetSeconds: 24 * HOUR,
};

/** A try to sign in that was counted before its password is looked at. Exactly one of the two is called at its end, or none. */
export interface SignInTry {
  /** The password was right: what was counted against the person is forgotten. */
  succeeded(): Promise<void>;
  /** The password was not looked at: the try does not count. */
  notMade(): Promise<void>;
}

export interface SignInLimits {
  /** @throws AppError rate_limited with the time to wait */
  take(attempt: { email: string; network: string; browserHash: Buffer | null }): Promise<SignInTry>;
  /** Opens a locked account, for somebody who proved by mail that it is theirs. */
  unlock(email: string): Promise<void>;
}

/**
 * Limits on guessing passwords: five tries in 15 minutes for an account and then locks of 1, 2, 4 … 60 minutes, 20 in 15
 * minutes for a network, 10 an hour for both together. A browser in which the owner signed in before has a count of its
 * own, so that nobody can lock the owner out by guessing.
 * @param scale multiplies every limit; 0 turns them off
 */
export function signInLimits(parts: { handle: DatabaseHandle; clock: Clock }, scale: number): SignInLimits {
  const { handle, clock } = parts;
  const limit = (name: string, points: number, perSeconds: number) =>
    sharedRateLimit(handle, { name, points, perSeconds, scale, message: TOO_MANY_TRIES });
  const network = limit("login-network", 20, 15 * MINUTE);
  const pair = limit("login-network-account", 10, HOUR);
  const browser = limit("login-browser", 10, 15 * MINUTE);
  const rule = { ...LOCKS, freeTries: Math.max(1, Math.round(FREE_TRIES * scale)) };

  return {
    async take(attempt) {
      if (scale === 0) return UNCOUNTED;
      const account = accountKey(attempt.email);
      const { browserHash } = attempt;
      if (browserHash !== null && (await isKnownBrowser(handle.db, { email: attempt.email, browserHash }))) {
        const key = `${browserHash.toString("base64url")} ${account}`;
        await browser.take(key);
        return {
          succeeded: async () => {
            await Promise.all([browser.clear(key), clearTries(handle.db, account)]);
          },
          notMade: () => browser.giveBack(key),
        };
      }
      const both = `${attempt.network} ${account}`;
      await network.take(attempt.network);
      await pair.take(both);
      const lockedUntil = await takeTry(handle.db, account, clock.now(), rule);
      if (lockedUntil !== null) throw tooMany((lockedUntil.getTime() - clock.now().getTime()) / 1000);
      return {
        succeeded: async () => {
          await Promise.all([network.giveBack(attempt.network), pair.clear(both), clearTries(handle.db, account)]);
        },
        notMade: async () => {
          await Promise.all([network.giveBack(attempt.network), pair.giveBack(both), giveTryBack(handle.db, account)]);
        },
      };
    },
    unlock: (email) => clearTries(handle.db, accountKey(email)),
  };
}

const UNCOUNTED: SignInTry = { succeeded: async () => {}, notMade: async () => {} };

/** The address itself need not stand among the counters. */
function accountKey(email: string): string {
  return createHash("sha256").update(emailKey(email)).digest("base64url");
}

function tooMany(seconds: number): AppError {
  return new AppError("rate_limited", TOO_MANY_TRIES, { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) });
}
