import type { FrameClock } from "./frame-clock.ts";

/** Plays ringback, frame by frame. */
export class RingbackTone {
  readonly #clock: FrameClock;
  readonly #play: (frame: number, nowMs: number) => void;
  #stop: (() => void) | null = null;

  constructor(clock: FrameClock, play: (frame: number, nowMs: number) => void) {
    this.#clock = clock;
    this.#play = play;
  }

  start(): void {
    let frame = 0;
    this.#stop ??= this.#clock.every((nowMs) => {
      this.#play(frame, nowMs);
      frame += 1;
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }
}
