import type { Logger } from "pino";
import { TokenBucket, type RateLimit } from "./token-bucket.ts";

const LIMIT: RateLimit = { perSecond: 1, burst: 20 };

/** Log lines that strangers can cause: at most one a second of each kind in the long run, each with the number of those left out before it. */
export class RateLimitedLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, { readonly rate: TokenBucket; leftOut: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param message names the kind: a fixed text */
  warn(fields: Record<string, unknown>, message: string, nowMs = performance.now()): void {
    const kind = this.#kinds.get(message) ?? { rate: new TokenBucket(LIMIT), leftOut: 0 };
    this.#kinds.set(message, kind);
    if (!kind.rate.take(nowMs)) {
      kind.leftOut += 1;
      return;
    }
    this.#log.warn(kind.leftOut === 0 ? fields : { ...fields, left_out: kind.leftOut }, message);
    kind.leftOut = 0;
  }
}
