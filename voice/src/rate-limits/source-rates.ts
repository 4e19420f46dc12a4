import { dropOldest } from "../drop-oldest.ts";
import { TokenBucket, type RateLimit } from "./token-bucket.ts";

/** A token bucket per source. Beyond `maxSources` the least recently seen source is dropped. */
export class SourceRates {
  readonly #limit: RateLimit;
  readonly #maxSources: number;
  readonly #rates = new Map<string, TokenBucket>();

  constructor(limit: RateLimit, maxSources: number) {
    this.#limit = limit;
    this.#maxSources = maxSources;
  }

  get size(): number {
    return this.#rates.size;
  }

  /** Counts one event of a source; false when it exceeds the source's rate. */
  take(source: string, nowMs = performance.now()): boolean {
    const rate = this.#rates.get(source) ?? new TokenBucket(this.#limit);
    this.#rates.delete(source);
    this.#rates.set(source, rate);
    dropOldest(this.#rates, this.#maxSources);
    return rate.take(nowMs);
  }
}
