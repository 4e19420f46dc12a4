export interface RateLimit {
  /** The sustained rate. */
  readonly perSecond: number;
  /** The maximum at once. */
  readonly burst: number;
}

/** A token bucket. Times are monotonic, in milliseconds. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #atMs = -Infinity;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** Counts one event; false when it exceeds the rate. */
  take(nowMs = performance.now()): boolean {
    const { perSecond, burst } = this.#limit;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
