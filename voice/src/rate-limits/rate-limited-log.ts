import type { Logger } from "pino";
import { TokenBucket, type RateLimit } from "./token-bucket.ts";

const LIMIT: RateLimit = { perSecond: 1, burst: 20 };

/** Rate-limits warnings that untrusted peers can trigger, per message. Each logged warning has the number of those dropped before it. */
export class RateLimitedLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, { readonly rate: TokenBucket; dropped: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param message a constant text */
  warn(fields: Record<string, unknown>, message: string, nowMs = performance.now()): void {
    const kind = this.#kinds.get(message) ?? { rate: new TokenBucket(LIMIT), dropped: 0 };
    this.#kinds.set(message, kind);
    if (!kind.rate.take(nowMs)) {
      kind.dropped += 1;
      return;
    }
    this.#log.warn(kind.dropped === 0 ? fields : { ...fields, left_out: kind.dropped }, message);
    kind.dropped = 0;
  }
}
