/** A call's maximum duration, counted from its answer. It can be raised but not lowered. */
export class TimeLimit {
  readonly #reached: () => void;
  #seconds: number;
  #startedAtMs: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, reached: () => void) {
    this.#seconds = seconds;
    this.#reached = reached;
  }

  start(): void {
    this.#startedAtMs ??= performance.now();
    this.#schedule();
  }

  /** @returns false, without effect, if the limit is already higher */
  raise(seconds: number): boolean {
    if (seconds < this.#seconds) return false;
    this.#seconds = seconds;
    this.#schedule();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#startedAtMs = null;
  }

  #schedule(): void {
    if (this.#startedAtMs === null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#reached, this.#startedAtMs + this.#seconds * 1000 - performance.now());
  }
}
