/** Tells from a counter, looked at now and then, for how long a side has been silent. */
export class SilenceDetector {
  #count = 0;
  #seenAtMs: number;
  #changedAtMs: number;
  #heardUntilMs: number;

  constructor(nowMs: number) {
    this.#seenAtMs = nowMs;
    this.#changedAtMs = nowMs;
    this.#heardUntilMs = nowMs;
  }

  see(count: number, nowMs: number): void {
    if (count !== this.#count) {
      this.#heardUntilMs = this.#seenAtMs;
      this.#changedAtMs = nowMs;
    }
    this.#count = count;
    this.#seenAtMs = nowMs;
  }

  get everHeard(): boolean {
    return this.#count > 0;
  }

  /** It counts as heard now: another source, or one that need not be heard. */
  excuse(nowMs: number): void {
    this.#changedAtMs = nowMs;
    this.#heardUntilMs = nowMs;
  }

  /** Milliseconds since it was last seen to be alive. */
  silentMs(nowMs: number): number {
    return nowMs - this.#changedAtMs;
  }

  /** Milliseconds since it certainly lived: longer than `silentMs` by the time between two looks. Nobody pays for what may have been silence. */
  sinceHeardMs(nowMs: number): number {
    return nowMs - this.#heardUntilMs;
  }
}
