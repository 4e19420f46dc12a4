import type { TrunkConfig } from "../trunk.ts";

const SECOND_MS = 1_000;

/** Limits a trunk's concurrent calls, and its new calls in any second. */
export class TrunkLimits {
  readonly #now: () => number;
  #calls = 0;
  /** Start times within the last second. */
  #startTimes: number[] = [];

  /** @param now monotonic, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a call; false if a limit is reached. After true, `release` must follow. */
  take({ maxCalls = Infinity, callsPerSecond = Infinity }: Pick<TrunkConfig, "maxCalls" | "callsPerSecond">): boolean {
    const now = this.#now();
    this.#startTimes = this.#startTimes.filter((at) => now - at < SECOND_MS);
    if (this.#calls >= maxCalls || this.#startTimes.length >= callsPerSecond) return false;
    this.#calls += 1;
    if (callsPerSecond !== Infinity) this.#startTimes.push(now);
    return true;
  }

  release(): void {
    this.#calls -= 1;
  }
}
