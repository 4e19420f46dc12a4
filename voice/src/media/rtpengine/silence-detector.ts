/** Detects silence from a packet counter that is polled. */
export class SilenceDetector {
  #count = 0;
  #updatedAtMs: number;
  #changedAtMs: number;
  #aliveUntilMs: number;

  constructor(nowMs: number) {
    this.#updatedAtMs = nowMs;
    this.#changedAtMs = nowMs;
    this.#aliveUntilMs = nowMs;
  }

  update(count: number, nowMs: number): void {
    if (count !== this.#count) {
      this.#aliveUntilMs = this.#updatedAtMs;
      this.#changedAtMs = nowMs;
    }
    this.#count = count;
    this.#updatedAtMs = nowMs;
  }

  get everHeard(): boolean {
    return this.#count > 0;
  }

  /** Counts the side as heard now, for a new source or one that need not send. */
  markHeard(nowMs: number): void {
    this.#changedAtMs = nowMs;
    this.#aliveUntilMs = nowMs;
  }

  /** Milliseconds since the counter was last seen to change. */
  silentMs(nowMs: number): number {
    return nowMs - this.#changedAtMs;
  }

  /** Milliseconds since the side was certainly alive: `silentMs` plus one polling interval. Possible silence is not charged. */
  sinceHeardMs(nowMs: number): number {
    return nowMs - this.#aliveUntilMs;
  }
}
