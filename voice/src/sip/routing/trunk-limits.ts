import type { TrunkConfig } from "../trunk.ts";

const SECOND_MS = 1_000;

/** Counts a trunk's calls: at most so many at a time, and so many new ones in any second. */
export class TrunkLimits {
  readonly #now: () => number;
  #calls = 0;
  /** When the last calls began, as many as a second may have. */
  #begun: number[] = [];

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one more call, unless that would be too many. `release` must follow. */
  take({ maxCalls = Infinity, callsPerSecond = Infinity }: Pick<TrunkConfig, "maxCalls" | "callsPerSecond">): boolean {
    const now = this.#now();
    this.#begun = this.#begun.filter((at) => now - at < SECOND_MS);
    if (this.#calls >= maxCalls || this.#begun.length >= callsPerSecond) return false;
    this.#calls += 1;
    if (callsPerSecond !== Infinity) this.#begun.push(now);
    return true;
  }

  release(): void {
    this.#calls -= 1;
  }
}
