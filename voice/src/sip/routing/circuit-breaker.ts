/** Consecutive faults, to as many different numbers, that open the breaker. */
export const MAX_FAULTS = 5;
export const FIRST_OPEN_MS = 30_000;
export const MAX_OPEN_MS = 600_000;
/** A carrier that is still busy says so again at the next call. */
export const MAX_REST_MS = 60_000;

/** `account`: the carrier refuses all our calls. Null: we ended the attempt, which proves nothing. */
export type CircuitOutcome = "worked" | "fault" | "account" | null;

/**
 * A trunk's circuit breaker. Opens after `MAX_FAULTS` consecutive faults, or at once if the carrier refuses our account, for a time that
 * doubles with each further one. Then one call at a time may try the trunk, until one succeeds. Faults of calls to a single number never
 * open it, because the number may be the problem.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  readonly #faultyNumbers = new Set<string>();
  #openMs = 0;
  #openUntilMs = 0;
  #restUntilMs = 0;
  #trials = 0;

  /** @param now monotonic, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether calls should avoid the trunk. */
  get open(): boolean {
    const isOpen = this.#openMs > 0 && (this.#now() < this.#openUntilMs || this.#trials > 0);
    return isOpen || this.#now() < this.#restUntilMs;
  }

  /** Whether the trunk has not carried a call since it was opened. */
  get failing(): boolean {
    return this.#openMs > 0;
  }

  /** The carrier asks for no calls for a while. */
  rest(ms: number): void {
    this.#restUntilMs = this.#now() + Math.min(ms, MAX_REST_MS);
  }

  /** A call starts. `settle` must follow. */
  begin(): void {
    this.#trials += 1;
  }

  /** @returns the change of state */
  settle(number: string, outcome: CircuitOutcome): "opened" | "closed" | null {
    this.#trials -= 1;
    if (outcome === "worked") return this.#close();
    return outcome === null ? null : this.#fault(number, outcome);
  }

  #close(): "closed" | null {
    const wasOpen = this.#openMs > 0;
    this.#faultyNumbers.clear();
    this.#openMs = 0;
    return wasOpen ? "closed" : null;
  }

  #fault(number: string, outcome: "fault" | "account"): "opened" | null {
    const isTrial = this.#openMs > 0 && this.#now() >= this.#openUntilMs;
    if (this.#openMs === 0) this.#faultyNumbers.add(number);
    const opens = this.#openMs === 0 && (outcome === "account" || this.#faultyNumbers.size >= MAX_FAULTS);
    if (!isTrial && !opens) return null;
    this.#faultyNumbers.clear();
    this.#openMs = Math.min(MAX_OPEN_MS, Math.max(FIRST_OPEN_MS, this.#openMs * 2));
    this.#openUntilMs = this.#now() + this.#openMs;
    return "opened";
  }
}
