import { FRAME_MS } from "./g711.ts";

/** After a stall of the process at most this many frames are made up for; the rest are skipped. */
const MOST_CATCH_UP = 3;

/** One timer of 20 ms for everything the process sends by itself. It follows the clock, not the timer's delays, and stops when nobody listens. */
export class FrameClock {
  readonly #listeners = new Set<(nowMs: number) => void>();
  #timer: NodeJS.Timeout | null = null;
  #nextAtMs = 0;

  /** Called about every 20 ms, on average exactly. Returns how to stop. */
  every(listener: (nowMs: number) => void): () => void {
    this.#listeners.add(listener);
    if (this.#timer === null) {
      this.#nextAtMs = performance.now() + FRAME_MS;
      this.#schedule();
    }
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, this.#nextAtMs - performance.now()));
  }

  #tick(): void {
    const nowMs = performance.now();
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - MOST_CATCH_UP * FRAME_MS);
    while (this.#nextAtMs <= nowMs) {
      for (const listener of [...this.#listeners]) listener(this.#nextAtMs);
      this.#nextAtMs += FRAME_MS;
    }
    if (this.#listeners.size === 0) this.#timer = null;
    else this.#schedule();
  }
}
