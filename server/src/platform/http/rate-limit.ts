import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { WAIT_SECONDS, type Reason } from "@farline/texts/reason.ts";
import type { ErrorCode } from "@farline/contract/api/error-codes.ts";
import { AppError } from "../app-error.ts";
import type { DatabaseHandle } from "../database/database.ts";
import { LIMITS, type LimitName, type LimitSize } from "./limit-lanes.ts";

/** Limits how often something may happen per key (an address, an account) within a time span. */
export interface RateLimit {
  /**
   * Counts one attempt.
   * @throws AppError rate_limited with the time to wait if the limit is exceeded
   */
  take(key: string): Promise<void>;
  /** Whether at least 60 % of the limit is used and some is left. Counts nothing. */
  isNear(key: string): Promise<boolean>;
  /** Uncounts one attempt. */
  giveBack(key: string): Promise<void>;
  /** Resets the count. */
  clear(key: string): Promise<void>;
}

/** What every limit needs: the setting that multiplies its points (0 turns it off), and where shared counts are stored. */
export interface LimitContext {
  readonly config: { readonly limitsScale: number };
  readonly handle: Pick<DatabaseHandle, "pool">;
}

/** The share of a limit from which it counts as near. */
export const NEAR_SHARE = 0.6;

/** A limit counted in this process, for frequent requests. A restart resets it. @param times multiplies its points */
export function memoryRateLimit({ config }: Pick<LimitContext, "config">, name: LimitName, times = 1): RateLimit {
  return limitBy(name, config.limitsScale * times, (options) => new RateLimiterMemory(options));
}

/** A limit counted in the database, shared by all services on it. It survives restarts. @param times multiplies its points */
export function sharedRateLimit({ config, handle }: LimitContext, name: LimitName, times = 1): RateLimit {
  return limitBy(name, config.limitsScale * times, (options) => {
    return new RateLimiterPostgres({
      ...options,
      storeClient: handle.pool,
      storeType: "pool",
      tableName: "rate_limit",
      tableCreated: true,
      clearExpiredByTimeout: false,
      // Counts in this process while the database is unavailable.
      insuranceLimiter: new RateLimiterMemory(options),
    });
  });
}

/** For actions that are silently skipped when too frequent: counts one, and returns whether it is still allowed. */
export async function isWithin(limit: Pick<RateLimit, "take">, key: string): Promise<boolean> {
  try {
    await limit.take(key);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "rate_limited") return false;
    throw error;
  }
}

interface LimiterOptions {
  keyPrefix: string;
  points: number;
  duration: number;
}

function limitBy(name: LimitName, scale: number, create: (options: LimiterOptions) => RateLimiterAbstract): RateLimit {
  if (scale === 0) return NO_LIMIT;
  const size: LimitSize = LIMITS[name];
  const points = Math.max(1, Math.round(size.points * scale));
  const limiter = create({ keyPrefix: name, points, duration: size.perSeconds });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw tooOften(refusal.msBeforeNext / 1000, size.reason);
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

/** The error for too many attempts. It says when to try again, in words and as `Retry-After`. */
export function tooOften(seconds: number, reason: Reason = "rate_limited", code: ErrorCode = "rate_limited"): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new AppError(code, { reason, params: { [WAIT_SECONDS]: retryAfterSeconds }, retryAfterSeconds });
}
