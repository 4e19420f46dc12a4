import { readFileSync } from "node:fs";
import { decodeG711 } from "./g711.ts";
import type { Programme } from "./line-behaviour.ts";
import { TEST_TONE_HZ } from "./test-numbers.ts";
import { addSines, dtmfFrequencies, ringback, SAMPLE_RATE, steadyTone } from "./tones.ts";
import { timestampDistance } from "./rtp-packet.ts";

/** Raw µ-law at 8 kHz: "Welcome to the Farline test line. Say something, and you will hear it back." */
const greeting = decodeG711("PCMU", readFileSync(new URL("./assets/greeting.ulaw", import.meta.url)));

const ECHO_DELAY_MS = 500;

export const FRAME_SAMPLES = SAMPLE_RATE / 50;

const DIGIT_FRAMES = 8;

const DIGIT_GAP_FRAMES = 2;

const MAX_WAITING_DIGITS = 32;

/** Key tones are played by interactive programmes only; test tones and silence stay unchanged. */
const PLAYS_DIGITS: ReadonlySet<Programme> = new Set(["greeting-then-echo", "echo"]);

/** About two seconds. A power of two, so that slots stay contiguous when the 32-bit timestamp wraps. */
const CAPACITY_SAMPLES = 16_384;

/** A larger jump than this is a new stream, not jitter. */
const RESTART_SAMPLES = SAMPLE_RATE;

/** The audio that the called phone sends, in frames of 20 ms. */
export class LineAudio {
  readonly #echo = new EchoBuffer(ECHO_DELAY_MS);
  readonly #waitingDigits: string[] = [];
  #programme: Programme | "ringback" = "ringback";
  #position = 0;
  #digit: { frequenciesHz: readonly number[]; frame: number } | null = null;

  /** Stops the ringback tone and starts the programme. */
  answer(programme: Programme): void {
    this.#programme = programme;
    this.#position = 0;
  }

  /** Adds audio from the caller, with its RTP timestamp. */
  receive(timestamp: number, samples: Int16Array): void {
    this.#echo.write(timestamp, samples);
  }

  /** Plays the tone of a key that the caller pressed, as feedback that it arrived. */
  playDigit(digit: string): void {
    if (this.#waitingDigits.length < MAX_WAITING_DIGITS) this.#waitingDigits.push(digit);
  }

  /** The next 160 samples, or null if no packet should be sent. */
  nextFrame(): Int16Array | null {
    const position = this.#position;
    this.#position += FRAME_SAMPLES;
    const echoed = this.#echo.read(FRAME_SAMPLES); // always read, so that the delay stays constant
    const digitTone = this.#programme !== "ringback" && PLAYS_DIGITS.has(this.#programme) ? this.#nextDigitFrame() : null;
    if (digitTone) return digitTone;
    switch (this.#programme) {
      case "ringback":
        return ringback(position, FRAME_SAMPLES);
      case "tone":
        return steadyTone(TEST_TONE_HZ, position, FRAME_SAMPLES);
      case "silence":
        return null;
      case "echo":
        return echoed;
      default:
        return position < greeting.length ? padded(greeting.subarray(position, position + FRAME_SAMPLES)) : echoed;
    }
  }

  #nextDigitFrame(): Int16Array | null {
    if (!this.#digit) {
      const frequenciesHz = dtmfFrequencies(this.#waitingDigits.shift() ?? "");
      if (!frequenciesHz) return null;
      this.#digit = { frequenciesHz, frame: 0 };
    }
    const { frequenciesHz, frame } = this.#digit;
    const samples = new Int16Array(FRAME_SAMPLES);
    if (frame < DIGIT_FRAMES) addSines(samples, frequenciesHz, frame * FRAME_SAMPLES);
    this.#digit = frame + 1 < DIGIT_FRAMES + DIGIT_GAP_FRAMES ? { frequenciesHz, frame: frame + 1 } : null;
    return samples;
  }
}

function padded(samples: Int16Array): Int16Array {
  if (samples.length === FRAME_SAMPLES) return samples;
  const frame = new Int16Array(FRAME_SAMPLES);
  frame.set(samples);
  return frame;
}

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
