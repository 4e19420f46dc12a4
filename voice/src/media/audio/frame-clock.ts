import { FRAME_MS } from "./g711.ts";

/** Frames to catch up after a stall; the rest are skipped. */
const MAX_CATCH_UP = 3;

/** A 20 ms timer for all audio that the process generates. Does not drift. Stops when it has no listeners. */
export class FrameClock {
  readonly #listeners = new Set<(nowMs: number) => void>();
  #timer: NodeJS.Timeout | null = null;
  #nextAtMs = 0;

  /** Calls the listener every 20 ms on average. @returns a function that stops it */
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
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - MAX_CATCH_UP * FRAME_MS);
    while (this.#nextAtMs <= nowMs) {
      for (const listener of [...this.#listeners]) listener(this.#nextAtMs);
      this.#nextAtMs += FRAME_MS;
    }
    if (this.#listeners.size === 0) this.#timer = null;
    else this.#schedule();
  }
}
