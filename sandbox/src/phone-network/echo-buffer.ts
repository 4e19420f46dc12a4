import { SAMPLE_RATE } from "./tones.ts";
import { timestampDistance } from "./rtp-packet.ts";

/** About two seconds. A power of two, so that slots stay contiguous when the 32-bit timestamp wraps. */
const CAPACITY_SAMPLES = 16_384;
/** A larger jump than this is a new stream, not jitter. */
const RESTART_SAMPLES = SAMPLE_RATE;

/**
 * Plays the caller's audio back after a fixed delay, which also absorbs jitter and reordering. Lost and late packets become
 * silence.
 */
export class EchoBuffer {
  readonly #samples = new Int16Array(CAPACITY_SAMPLES);
  readonly #delaySamples: number;
  /** RTP timestamp of the next sample to play; null before the first packet. */
  #playing: number | null = null;

  constructor(delayMs: number) {
    this.#delaySamples = (delayMs * SAMPLE_RATE) / 1000;
  }

  /** Stores a packet's samples under its RTP timestamp. */
  write(timestamp: number, samples: Int16Array): void {
    const expected = this.#playing === null ? null : timestampDistance(this.#playing, timestamp);
    if (expected === null || Math.abs(expected - this.#delaySamples) > RESTART_SAMPLES) {
      this.#samples.fill(0);
      this.#playing = (timestamp - this.#delaySamples) >>> 0;
    }
    for (let i = 0; i < samples.length; i++) {
      const ahead = timestampDistance(this.#playing as number, timestamp + i);
      if (ahead >= 0 && ahead < CAPACITY_SAMPLES) this.#samples[this.#slot(timestamp + i)] = samples[i] as number;
    }
  }

  /** Removes and returns the next samples; silence for missing ones. */
  read(length: number): Int16Array {
    const out = new Int16Array(length);
    if (this.#playing === null) return out;
    for (let i = 0; i < length; i++) {
      const slot = this.#slot(this.#playing + i);
      out[i] = this.#samples[slot] as number;
      this.#samples[slot] = 0;
    }
    this.#playing = (this.#playing + length) >>> 0;
    return out;
  }

  #slot(timestamp: number): number {
    return (timestamp >>> 0) % CAPACITY_SAMPLES;
  }
}
