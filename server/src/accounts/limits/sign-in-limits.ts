import { emailKey } from "@farline/domain/email-address.ts";
import { createHash } from "node:crypto";
import { clientHost } from "@farline/domain/client-network.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { sharedNetworkLimit, type NetworkLimit } from "../../platform/http/network-limit.ts";
import { NEAR_SHARE, sharedRateLimit, type RateLimit } from "../../platform/http/rate-limit.ts";
import { tooOften } from "../../platform/http/too-often.ts";
import { isKnownBrowser } from "../record/known-browser.store.ts";
import { breachWatch, type BreachWatch } from "../robot-check/breach-watch.ts";
import { requireProof } from "../robot-check/robot-check.ts";
import { clearTries, giveTryBack, readTries, takeTry, type GuardRule } from "./sign-in-guard.store.ts";
import type { ServiceContext } from "../../context.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const FREE_TRIES = 5;
const LOCKS: Omit<GuardRule, "freeTries"> = {
  windowSeconds: 15 * MINUTE,
  firstLockSeconds: MINUTE,
  longestLockSeconds: HOUR,
  forgetSeconds: 24 * HOUR,
};

/** A sign-in attempt. */
export interface SignInAttempt {
  readonly email: string;
  /** The client's, `request.ip`. */
  readonly address: string;
  readonly browserHash: Buffer | null;
  readonly proof: RobotProof | undefined;
}

/** A sign-in attempt, counted before its password is checked. Exactly one of the three is called at its end. */
export interface SignInTry {
  /** The password was correct: the person's counters are reset. */
  succeeded(): Promise<void>;
  /** The password was wrong. */
  failed(): Promise<void>;
  /** The password was not checked: the attempt does not count. */
  notMade(): Promise<void>;
}

export interface SignInLimits {
  /** @throws AppError rate_limited with the time to wait; challenge_required near a limit or during an attack on many accounts */
  take(attempt: SignInAttempt): Promise<SignInTry>;
  /** Unlocks an account whose owner has reset the password by mail. */
  unlock(email: string): Promise<void>;
}

/**
 * Limits on guessing passwords: five tries in 15 minutes for an account and then locks of 1, 2, 4 … 60 minutes, 20 in 15
 * minutes for a network, 10 an hour for both together. A browser in which the owner signed in before has a count of its
 * own, so that nobody can lock out the owner by guessing, and never needs a proof of work.
 */
export function signInLimits(ctx: ServiceContext): SignInLimits {
  const { handle } = ctx;
  const scale = ctx.config.limitsScale;
  const limit = (name: string, points: number, perSeconds: number) =>
    sharedRateLimit(handle, { name, points, perSeconds, scale });
  const counters: Counters = {
    network: sharedNetworkLimit(handle, { name: "login-network", points: 20, perSeconds: 15 * MINUTE, scale }),
    pair: limit("login-network-account", 10, HOUR),
    browser: limit("login-browser", 10, 15 * MINUTE),
    watch: breachWatch(ctx),
    rule: { ...LOCKS, freeTries: Math.max(1, Math.round(FREE_TRIES * scale)) },
  };
  return {
    async take(attempt) {
      if (scale === 0) return UNCOUNTED;
      const account = accountKey(attempt.email);
      const { email, browserHash } = attempt;
      if (browserHash !== null && (await isKnownBrowser(handle.db, { email, browserHash })))
        return takeInKnownBrowser(ctx, counters, { account, browserHash });
      return takeOfStranger(ctx, counters, { ...attempt, account });
    },
    unlock: (email) => clearTries(handle.db, accountKey(email)),
  };
}

interface Counters {
  readonly network: NetworkLimit;
  readonly pair: RateLimit;
  readonly browser: RateLimit;
  readonly watch: BreachWatch;
  readonly rule: GuardRule;
}

async function takeInKnownBrowser(
  { handle }: ServiceContext,
  { browser, watch }: Counters,
  { account, browserHash }: { account: string; browserHash: Buffer },
): Promise<SignInTry> {
  const key = `${browserHash.toString("base64url")} ${account}`;
  await browser.take(key);
  return {
    succeeded: async () => {
      await Promise.all([watch.count(false), browser.clear(key), clearTries(handle.db, account)]);
    },
    failed: () => watch.count(true),
    notMade: () => browser.giveBack(key),
  };
}

async function takeOfStranger(
  ctx: ServiceContext,
  { network, pair, watch, rule }: Counters,
  attempt: SignInAttempt & { account: string },
): Promise<SignInTry> {
  const { db } = ctx.handle;
  const { account } = attempt;
  const both = `${clientHost(attempt.address)} ${account}`;
  const near = (await network.isNear(attempt.address)) || (await isAccountNear(ctx, account, rule));
  if (near || (await watch.look()).attack) await requireProof(ctx, "sign_in", attempt.proof);
  await network.take(attempt.address);
  await pair.take(both);
  const now = ctx.clock.now();
  const lockedUntil = await takeTry(db, account, now, rule);
  if (lockedUntil !== null) throw tooOften((lockedUntil.getTime() - now.getTime()) / 1000);
  return {
    succeeded: async () => {
      await Promise.all([watch.count(false), network.giveBack(attempt.address), pair.clear(both), clearTries(db, account)]);
    },
    failed: () => watch.count(true),
    notMade: async () => {
      await Promise.all([network.giveBack(attempt.address), pair.giveBack(both), giveTryBack(db, account)]);
    },
  };
}

/** A locked account refuses anyway, so it needs no proof of work. A network's attempts at it count for the account. */
async function isAccountNear({ handle, clock }: ServiceContext, account: string, rule: GuardRule): Promise<boolean> {
  const { tries, locked } = await readTries(handle.db, account, clock.now(), rule);
  return !locked && tries >= rule.freeTries * NEAR_SHARE;
}

const UNCOUNTED: SignInTry = { succeeded: async () => {}, failed: async () => {}, notMade: async () => {} };

/** Counters hold a hash, not the address. */
function accountKey(email: string): string {
  return createHash("sha256").update(emailKey(email)).digest("base64url");
}
