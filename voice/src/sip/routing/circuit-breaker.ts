/** Faults in a row, of calls to as many numbers, that open the breaker. */
export const MAX_FAULTS = 5;
export const FIRST_OPEN_MS = 30_000;
export const LONGEST_OPEN_MS = 600_000;

/**
 * Tells whether a trunk is worth a call. After `MAX_FAULTS` faults in a row it is not, for a time that doubles with every further one;
 * then one call at a time may try it, until one succeeds. Calls to one number never open it: that number may be the fault.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  readonly #faultyNumbers = new Set<string>();
  #openMs = 0;
  #openUntilMs = 0;
  #trials = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether calls should go elsewhere now. */
  get open(): boolean {
    return this.#openMs > 0 && (this.#now() < this.#openUntilMs || this.#trials > 0);
  }

  /** A call is tried. `settle` must follow. */
  begin(): void {
    this.#trials += 1;
  }

  /** @param outcome null: the attempt tells nothing, because we ended it ourselves. @returns what it changed */
  settle(number: string, outcome: "worked" | "fault" | null): "opened" | "closed" | null {
    this.#trials -= 1;
    if (outcome === "worked") return this.#close();
    if (outcome === "fault") return this.#fault(number);
    return null;
  }

  #close(): "closed" | null {
    const wasOpen = this.#openMs > 0;
    this.#faultyNumbers.clear();
    this.#openMs = 0;
    return wasOpen ? "closed" : null;
  }

  #fault(number: string): "opened" | null {
    const isTrial = this.#openMs > 0 && this.#now() >= this.#openUntilMs;
    if (this.#openMs === 0) this.#faultyNumbers.add(number);
    if (!isTrial && (this.#openMs > 0 || this.#faultyNumbers.size < MAX_FAULTS)) return null;
    this.#faultyNumbers.clear();
    this.#openMs = Math.min(LONGEST_OPEN_MS, Math.max(FIRST_OPEN_MS, this.#openMs * 2));
    this.#openUntilMs = this.#now() + this.#openMs;
    return "opened";
  }
}
