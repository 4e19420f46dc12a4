import type { AudioFormat } from "./audio-format.ts";
import { DIGIT_FRAMES, EVENT_CODES } from "./digit-queue.ts";
import type { FrameClock } from "./frame-clock.ts";
import { FRAME_MS } from "./g711.ts";

/** Packets of an event follow each other by 50 ms at most (RFC 4733 §2.5.1.2); two may be lost. */
const LAST_HEARD_FRAMES = 160 / FRAME_MS;
/** A key that is held for longer falls silent. */
const MAX_KEY_FRAMES = 5_000 / FRAME_MS;

/** Sends a 20 ms frame to the caller. */
type Play = (frame: Buffer, nowMs: number) => void;

/** Plays ringback, frame by frame. */
export class RingbackTone {
  readonly #clock: FrameClock;
  readonly #format: AudioFormat;
  readonly #play: Play;
  #stop: (() => void) | null = null;

  constructor(clock: FrameClock, format: AudioFormat, play: Play) {
    this.#clock = clock;
    this.#format = format;
    this.#play = play;
  }

  start(): void {
    let frame = 0;
    this.#stop ??= this.#clock.every((nowMs) => {
      this.#play(this.#format.ringback(frame), nowMs);
      frame += 1;
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }
}

/** Plays the keys that the far end presses (RFC 4733), which browsers cannot. */
export class FarKeyTone {
  readonly #clock: FrameClock;
  readonly #format: AudioFormat;
  readonly #play: Play;
  #stop: (() => void) | null = null;
  #event: { readonly ssrc: number; readonly timestamp: number } | null = null;
  #frame = 0;
  #framesLeft = 0;

  constructor(clock: FrameClock, format: AudioFormat, play: Play) {
    this.#clock = clock;
    this.#format = format;
    this.#play = play;
  }

  /** The far end's audio must wait. */
  get playing(): boolean {
    return this.#stop !== null;
  }

  /** Takes a packet of an event: code, flags and duration (RFC 4733 §2.3). Events have the timestamp of their beginning. */
  hear({ ssrc, timestamp, payload }: { ssrc: number; timestamp: number; payload: Buffer }): void {
    const key = EVENT_CODES[payload[0] ?? EVENT_CODES.length];
    if (key === undefined || payload.length < 4) return;
    const ended = ((payload[1] ?? 0) & 0x80) !== 0;
    const age = this.#event?.ssrc === ssrc ? (this.#event.timestamp - timestamp) | 0 : -1;
    if (age > 0 || (age === 0 && !this.playing)) return;
    if (age < 0) this.#begin(key, { ssrc, timestamp });
    this.#framesLeft = ended ? DIGIT_FRAMES - this.#frame : Math.min(LAST_HEARD_FRAMES, MAX_KEY_FRAMES - this.#frame);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }

  #begin(key: string, event: { ssrc: number; timestamp: number }): void {
    this.stop();
    this.#event = event;
    this.#frame = 0;
    this.#stop = this.#clock.every((nowMs) => {
      if (this.#framesLeft <= 0) return this.stop();
      // Recorded tones last as long as a key that we send.
      this.#play(this.#format.digitTone(key, this.#frame % DIGIT_FRAMES), nowMs);
      this.#frame += 1;
      this.#framesLeft -= 1;
    });
  }
}
