import { networksOf, NETWORK_MULTIPLES } from "@farline/domain/client-network.ts";
import type { LimitName } from "./limit-lanes.ts";
import { memoryRateLimit, sharedRateLimit, type LimitContext, type RateLimit } from "./rate-limit.ts";

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

/** Counted in this process. The limit's points are one host's; the networks around it have multiples. */
export function memoryNetworkLimit(ctx: Pick<LimitContext, "config">, name: LimitName): NetworkLimit {
  return limitBy((times) => memoryRateLimit(ctx, name, times));
}

/** Counted in the database, shared by all services on it. The limit's points are one host's; the networks around it have multiples. */
export function sharedNetworkLimit(ctx: LimitContext, name: LimitName): NetworkLimit {
  return limitBy((times) => sharedRateLimit(ctx, name, times));
}

function limitBy(create: (times: number) => RateLimit): NetworkLimit {
  const limits = new Map<number, RateLimit>(NETWORK_MULTIPLES.map((times) => [times, create(times)]));
  const alone = create(1);
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
