/** A call's maximum duration, counted from its answer. It can be raised during the call, never lowered. */
export class TimeLimit {
  readonly #reached: () => void;
  #seconds: number;
  #startedAtMs: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** `reached` is called once, when the time is used up. */
  constructor(seconds: number, reached: () => void) {
    this.#seconds = seconds;
    this.#reached = reached;
  }

  /** Starts the clock: the call is answered now. */
  start(): void {
    this.#startedAtMs ??= performance.now();
    this.#plan();
  }

  /** @returns false, and nothing changes, when the call may already last longer than that. */
  raise(seconds: number): boolean {
    if (seconds < this.#seconds) return false;
    this.#seconds = seconds;
    this.#plan();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#startedAtMs = null;
  }

  #plan(): void {
    if (this.#startedAtMs === null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#reached, this.#startedAtMs + this.#seconds * 1000 - performance.now());
  }
}
