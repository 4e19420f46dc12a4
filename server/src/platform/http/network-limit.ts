import { networksOf, NETWORK_MULTIPLES } from "@farline/domain/client-network.ts";
import type { DatabaseHandle } from "../database/database.ts";
import { memoryRateLimit, sharedRateLimit, type RateLimit, type RateLimitRule } from "./rate-limit.ts";

/**
 * Limits how often something may happen from one client address. It also counts the surrounding networks, because one person may
 * have many addresses: a /48 holds 65,536 networks that look like households.
 */
export interface NetworkLimit {
  /** Tells it apart from a `RateLimit`, which counts a single key. */
  readonly by: "network";
  /**
   * Counts one attempt.
   * @param address the client's, `request.ip`
   * @throws AppError rate_limited with the time to wait, when the limit of one of its networks is exceeded
   */
  take(address: string): Promise<void>;
  /**
   * Counts one attempt of somebody who is known by more than their network (`Lane`), by that alone, with one host's points.
   * @param key of the session, browser or link
   * @throws AppError rate_limited with the time to wait
   */
  takeAlone(key: string): Promise<void>;
  /** Whether at least 60 % of a network's limit is used and some is left. Counts nothing. */
  isNear(address: string): Promise<boolean>;
  /** Uncounts one attempt. */
  giveBack(address: string): Promise<void>;
}

/** Counted in this process. @param rule for one host; the networks around it have multiples */
export function memoryNetworkLimit(rule: RateLimitRule): NetworkLimit {
  return limitBy(rule, memoryRateLimit);
}

/** Counted in the database, shared by all services on it. @param rule for one host; the networks around it have multiples */
export function sharedNetworkLimit(handle: DatabaseHandle, rule: RateLimitRule): NetworkLimit {
  return limitBy(rule, (wider) => sharedRateLimit(handle, wider));
}

function limitBy(rule: RateLimitRule, create: (rule: RateLimitRule) => RateLimit): NetworkLimit {
  const limits = new Map<number, RateLimit>(
    NETWORK_MULTIPLES.map((times) => [times, create({ ...rule, points: rule.points * times })]),
  );
  const alone = create(rule);
  const counted = (address: string) =>
    networksOf(address).flatMap(({ key, times }) => {
      const limit = limits.get(times);
      return limit === undefined ? [] : [{ key, limit }];
    });
  return {
    by: "network",
    async take(address) {
      // Narrowest first: a host's refused attempts must not count against its neighbours.
      for (const { key, limit } of counted(address)) await limit.take(key);
    },
    takeAlone: (key) => alone.take(`alone ${key}`),
    async isNear(address) {
      for (const { key, limit } of counted(address)) if (await limit.isNear(key)) return true;
      return false;
    },
    async giveBack(address) {
      for (const { key, limit } of counted(address)) await limit.giveBack(key);
    },
  };
}
