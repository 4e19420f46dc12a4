import { emailKey } from "@farline/domain/email-address.ts";
import { createHash } from "node:crypto";
import { clientHost } from "@farline/domain/client-network.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { sharedNetworkLimit, type NetworkLimit } from "../../platform/http/network-limit.ts";
import { NEAR_SHARE, sharedRateLimit, tooOften, type RateLimit } from "../../platform/http/rate-limit.ts";
import type { Tx } from "../../platform/database/database.ts";
import { isKnownBrowser } from "../record/known-browser.store.ts";
import { attackDetector, requireProof, type AttackDetector } from "../robot-check/robot-check.ts";
import { clearAttempts, uncountAttempt, readAttempts, countAttempt, type GuardRule } from "./sign-in-guard.store.ts";
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
interface SignInAttempt {
  readonly email: string;
  /** The client's, `request.ip`. */
  readonly address: string;
  readonly browserHash: Buffer | null;
  /** The browser's live session of the same person, who proves again who is there. */
  readonly session?: string | null;
  readonly proof: RobotProof | undefined;
}

/** A sign-in attempt, counted before its password is checked. Call exactly one of the three when it ends. */
interface CountedAttempt {
  /** The password was correct: resets the counters. */
  succeeded(): Promise<void>;
  /** The password was wrong. */
  failed(): Promise<void>;
  /** The password was not checked: uncounts the attempt. */
  notChecked(): Promise<void>;
}

export interface SignInLimits {
  /** @throws AppError rate_limited with the time to wait; challenge_required near a limit or during an attack on many accounts */
  take(attempt: SignInAttempt): Promise<CountedAttempt>;
  /** Unlocks an account whose owner has reset the password by mail. */
  unlock(email: string): Promise<void>;
}

/**
 * Limits password guessing: five attempts in 15 minutes per account, then locks of 1, 2, 4 … 60 minutes; 20 in 15
 * minutes per network; 10 an hour per account and network. A browser in which the owner has signed in before, or is signed in now, has a
 * count of its own, 10 in 15 minutes and 50 a day, so that guessing cannot lock the owner out, and never needs a proof of work.
 */
export function signInLimits(ctx: ServiceContext): SignInLimits {
  return limitsOf(ctx, { prefix: "", proves: true, knows: isKnownBrowser });
}

/**
 * The same limits for operators, counted apart. Their console solves no proof of work: above a limit they wait, use a passkey, or a browser
 * that `knows`.
 */
export function operatorSignInLimits(ctx: ServiceContext, knows: People["knows"]): SignInLimits {
  return limitsOf(ctx, { prefix: "operator-", proves: false, knows });
}

/** Whose sign-in is limited. */
interface People {
  /** Of the names of their counters. */
  readonly prefix: "" | "operator-";
  /** Whether unknown browsers solve a proof of work near a limit. */
  readonly proves: boolean;
  /** Whether the person with this address has signed in with this browser. */
  readonly knows: (db: Tx, wanted: { email: string; browserHash: Buffer }) => Promise<boolean>;
}

function limitsOf(ctx: ServiceContext, { prefix, proves, knows }: People): SignInLimits {
  const { handle } = ctx;
  const scale = ctx.config.limitsScale;
  const counters: Counters = {
    network: sharedNetworkLimit(ctx, `${prefix}login-network`),
    pair: sharedRateLimit(ctx, `${prefix}login-network-account`),
    browser: sharedRateLimit(ctx, `${prefix}login-browser`),
    browserDay: sharedRateLimit(ctx, `${prefix}login-browser-day`),
    detector: attackDetector(ctx),
    proves,
    rule: { ...LOCKS, freeTries: Math.max(1, Math.round(FREE_TRIES * scale)) },
  };
  return {
    async take(attempt) {
      if (scale === 0) return UNCOUNTED;
      const account = accountKey(prefix + attempt.email);
      const { email, browserHash, session = null } = attempt;
      if (browserHash !== null && (await knows(handle.db, { email, browserHash })))
        return countInKnownBrowser(ctx, counters, { account, browser: browserHash.toString("base64url") });
      if (session !== null) return countInKnownBrowser(ctx, counters, { account, browser: session });
      return countInUnknownBrowser(ctx, counters, { ...attempt, account });
    },
    unlock: (email) => clearAttempts(handle.db, accountKey(prefix + email)),
  };
}

interface Counters {
  readonly network: NetworkLimit;
  readonly pair: RateLimit;
  readonly browser: RateLimit;
  readonly browserDay: RateLimit;
  readonly detector: AttackDetector;
  readonly proves: boolean;
  readonly rule: GuardRule;
}

async function countInKnownBrowser(
  { handle }: ServiceContext,
  { browser, browserDay, detector }: Counters,
  by: { account: string; browser: string },
): Promise<CountedAttempt> {
  const { account } = by;
  const key = `${by.browser} ${account}`;
  await browser.take(key);
  await browserDay.take(key);
  return {
    succeeded: async () => {
      await Promise.all([detector.count(false), browser.clear(key), browserDay.clear(key), clearAttempts(handle.db, account)]);
    },
    failed: () => detector.count(true),
    notChecked: async () => void (await Promise.all([browser.giveBack(key), browserDay.giveBack(key)])),
  };
}

async function countInUnknownBrowser(
  ctx: ServiceContext,
  { network, pair, detector, proves, rule }: Counters,
  attempt: SignInAttempt & { account: string },
): Promise<CountedAttempt> {
  const { db } = ctx.handle;
  const { account } = attempt;
  const both = `${clientHost(attempt.address)} ${account}`;
  const near = proves && ((await network.isNear(attempt.address)) || (await isAccountNear(ctx, account, rule)));
  if (near || (proves && (await detector.read()).attack)) await requireProof(ctx, "sign_in", attempt.proof);
  await network.take(attempt.address);
  await pair.take(both);
  const now = ctx.clock.now();
  const lockedUntil = await countAttempt(db, account, now, rule);
  if (lockedUntil !== null) throw tooOften((lockedUntil.getTime() - now.getTime()) / 1000);
  return {
    succeeded: async () => {
      await Promise.all([detector.count(false), network.giveBack(attempt.address), pair.clear(both), clearAttempts(db, account)]);
    },
    failed: () => detector.count(true),
    notChecked: async () => {
      await Promise.all([network.giveBack(attempt.address), pair.giveBack(both), uncountAttempt(db, account)]);
    },
  };
}

/** Whether an account is close to its limit. A locked account refuses anyway, so it needs no proof of work. */
async function isAccountNear({ handle, clock }: ServiceContext, account: string, rule: GuardRule): Promise<boolean> {
  const { tries, locked } = await readAttempts(handle.db, account, clock.now(), rule);
  return !locked && tries >= rule.freeTries * NEAR_SHARE;
}

const UNCOUNTED: CountedAttempt = { succeeded: async () => {}, failed: async () => {}, notChecked: async () => {} };

/** Counters hold a hash, not the address. */
function accountKey(email: string): string {
  return createHash("sha256").update(emailKey(email)).digest("base64url");
}
