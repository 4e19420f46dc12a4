import { FRAME_MS } from "./g711.ts";
import type { AudioFormat, RtpClock } from "./audio-format.ts";
import { MediaError } from "../media-plane.ts";

/** RFC 4733 §3.2. */
export const EVENT_CODES = "0123456789*#ABCD";
/** About -10 dBm0 (RFC 4733 §2.3.3). */
const VOLUME = 10;
export const MAX_QUEUED = 100;
export const DIGIT_FRAMES = 100 / FRAME_MS;
/** The end of an event is sent twice more, a frame apart, so that a burst of loss does not take all three (RFC 4733 §2.5.1.4). */
const END_REPEATS = 2;
const GAP_FRAMES = 80 / FRAME_MS;
const PAUSE_FRAMES = 2_000 / FRAME_MS;

export interface DigitPacket {
  readonly timestamp: number;
  readonly marker: boolean;
  /** The four octets of RFC 4733 §2.3, or a frame of audio. */
  readonly payload: Buffer;
}

interface Digit {
  readonly code: number;
  readonly timestamp: number;
  frame: number;
}

interface Batch {
  readonly symbols: string[];
  done(): void;
  failed(error: Error): void;
}

/** @throws MediaError `bad_digits` */
export function readDigits(digits: string): string[] {
  const symbols = [...digits.toUpperCase()];
  if (symbols.every((symbol) => symbol === "," || EVENT_CODES.includes(symbol))) return symbols;
  throw new MediaError("bad_digits", "Only 0-9, *, #, A-D and , can be sent as digits.");
}

/** Paces digits: 100 ms each, 80 ms between digits, 2 s for a comma. Driven by a 20 ms clock. */
export class DigitQueue {
  readonly #batches: Batch[] = [];
  #queued = 0;
  #current: Digit | null = null;
  #waitFrames = 0;

  /** While a digit is being sent, audio must wait (RFC 4733 §2.5.1.2 allows it, and gateways expect it). */
  get sending(): boolean {
    return this.#current !== null;
  }

  get idle(): boolean {
    return this.#batches.length === 0 && this.#current === null;
  }

  /** Resolves when the last digit is sent. @throws MediaError `bad_digits`; then nothing is sent */
  add(digits: string): Promise<void> {
    let symbols: string[];
    try {
      symbols = readDigits(digits);
    } catch (error) {
      return Promise.reject(error);
    }
    if (symbols.length === 0) return Promise.resolve();
    if (this.#queued + symbols.length > MAX_QUEUED) {
      return Promise.reject(new MediaError("bad_digits", `At most ${MAX_QUEUED} digits can be queued.`));
    }
    this.#queued += symbols.length;
    return new Promise((resolve, reject) => this.#batches.push({ symbols, done: resolve, failed: reject }));
  }

  /** Advances by one frame. Returns the event packet to send (RFC 4733). @param timestamp the current RTP time of `clock` */
  tickEvent(timestamp: number, { frameTicks }: RtpClock): DigitPacket | null {
    const digit = this.#next(timestamp, END_REPEATS);
    if (digit === null) return null;
    const payload = Buffer.alloc(4);
    payload[0] = digit.code;
    payload[1] = (digit.frame >= DIGIT_FRAMES ? 0x80 : 0) | VOLUME;
    payload.writeUInt16BE(Math.min(digit.frame, DIGIT_FRAMES) * frameTicks, 2);
    return { timestamp: digit.timestamp, marker: digit.frame === 1, payload };
  }

  /** Like `tickEvent`, but returns a frame of audio. */
  tickTone(timestamp: number, format: AudioFormat): DigitPacket | null {
    const digit = this.#next(timestamp, 0);
    if (digit === null) return null;
    const frame = digit.frame - 1;
    const at = (digit.timestamp + frame * format.frameTicks) >>> 0;
    return { timestamp: at, marker: frame === 0, payload: format.digitTone(EVENT_CODES.charAt(digit.code), frame) };
  }

  abort(error: Error): void {
    for (const batch of this.#batches.splice(0)) batch.failed(error);
    this.#queued = 0;
    this.#current = null;
  }

  #begin(timestamp: number): boolean {
    const batch = this.#batches[0];
    const symbol = batch?.symbols.shift();
    if (batch === undefined || symbol === undefined) return false;
    this.#queued -= 1;
    if (symbol === ",") {
      this.#waitFrames = PAUSE_FRAMES;
      this.#finish(batch);
      return false;
    }
    this.#current = { code: EVENT_CODES.indexOf(symbol), timestamp, frame: 0 };
    return true;
  }

  /** The digit frame that is due now. @param repeats frames after the digit, taken from the gap */
  #next(timestamp: number, repeats: number): Digit | null {
    if (this.#current === null && this.#waitFrames > 0) {
      this.#waitFrames -= 1;
      return null;
    }
    if (this.#current === null && !this.#begin(timestamp)) return null;
    const digit = this.#current;
    if (digit === null) return null;
    digit.frame += 1;
    if (digit.frame === DIGIT_FRAMES + repeats) {
      this.#current = null;
      this.#waitFrames = GAP_FRAMES - repeats;
      const batch = this.#batches[0];
      if (batch !== undefined) this.#finish(batch);
    }
    return digit;
  }

  #finish(batch: Batch): void {
    if (batch.symbols.length > 0) return;
    this.#batches.shift();
    batch.done();
  }
}
