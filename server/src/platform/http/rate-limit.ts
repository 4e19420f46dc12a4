import { clientHost } from "@farline/domain/client-network.ts";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { AppError } from "./app-error.ts";
import type { DatabaseHandle } from "../database/database.ts";
import { tooOften } from "./too-often.ts";

/** How often something may happen for one key (an address, an account) in a span of time. */
export interface RateLimit {
  /**
   * Counts one more.
   * @throws AppError rate_limited with the time to wait, when that is too many
   */
  take(key: string): Promise<void>;
  /** Whether most of what is allowed has been used (60 % or more) and some is left. Counts nothing. */
  isNear(key: string): Promise<boolean>;
  /** Takes one back: what happened does not count after all. */
  giveBack(key: string): Promise<void>;
  /** Starts again from nothing. */
  clear(key: string): Promise<void>;
}

export interface RateLimitRule {
  /** Tells the counters of one limit from another's. */
  readonly name: string;
  readonly points: number;
  readonly perSeconds: number;
  /** Multiplies the points; 0 turns the limit off. */
  readonly scale: number;
  /** What there was too much of, as a sentence; the time to wait follows it. */
  readonly text?: string;
}

/** From this share of a limit on it is near. */
export const NEAR_SHARE = 0.6;

/** A limit counted in this process: for what is asked often and may start again with the service. */
export function memoryRateLimit(rule: RateLimitRule): RateLimit {
  return limitBy(rule, (options) => new RateLimiterMemory(options));
}

/** A limit counted in the database: one for all services on it, and it outlives a restart. */
export function sharedRateLimit(handle: DatabaseHandle, rule: RateLimitRule): RateLimit {
  return limitBy(rule, (options) => {
    return new RateLimiterPostgres({
      ...options,
      storeClient: handle.pool,
      storeType: "pool",
      tableName: "rate_limit",
      tableCreated: true,
      clearExpiredByTimeout: false,
      // While the database is away the limit goes on, counted here.
      insuranceLimiter: new RateLimiterMemory(options),
    });
  });
}

/** For what is left out without a word when it happens too often: counts one more, and says whether that is still allowed. */
export async function isWithin(limit: RateLimit, key: string): Promise<boolean> {
  try {
    await limit.take(key);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "rate_limited") return false;
    throw error;
  }
}

/** As a route's `onRequest`: counts its requests by network before anything of them is read. */
export function perNetwork(limit: RateLimit): (request: { readonly ip: string }) => Promise<void> {
  return (request) => limit.take(clientHost(request.ip));
}

interface LimiterOptions {
  keyPrefix: string;
  points: number;
  duration: number;
}

function limitBy(rule: RateLimitRule, create: (options: LimiterOptions) => RateLimiterAbstract): RateLimit {
  if (rule.scale === 0) return NO_LIMIT;
  const points = Math.max(1, Math.round(rule.points * rule.scale));
  const limiter = create({ keyPrefix: rule.name, points, duration: rule.perSeconds });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw tooOften(refusal.msBeforeNext / 1000, rule.text);
      }
    },
    async isNear(key) {
      const used = (await limiter.get(key))?.consumedPoints ?? 0;
      return used >= points * NEAR_SHARE && used < points;
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
    async clear(key) {
      await limiter.delete(key);
    },
  };
}

const NO_LIMIT: RateLimit = { take: async () => {}, isNear: async () => false, giveBack: async () => {}, clear: async () => {} };
