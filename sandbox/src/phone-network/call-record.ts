import { measure, type Heard } from "./frequency.ts";
import type { Codec } from "./g711.ts";
import { SAMPLE_RATE } from "./tones.ts";

const MAX_DIGITS = 64;

export type CallState = "setup" | "ringing" | "answered" | "ended";

/** One call as the phone network saw it; the JSON form of GET /phone-network/calls. */
export interface CallView {
  id: string;
  /** E.164 as dialled. */
  number: string;
  /** User part of the caller's address. */
  from: string;
  state: CallState;
  /** The last SIP status sent for the INVITE; 0 when nothing was sent. */
  sipStatus: number;
  endedBy: "caller" | "network" | null;
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  codec: Codec | null;
  /** Keys the caller pressed, in order. */
  digits: string;
  /** The last second of audio that came from the caller. */
  heard: Heard;
  rtp: { sent: number; received: number; lost: number };
}

/** The record of one call, updated by the call itself. */
export class CallRecord {
  readonly id: string;
  readonly number: string;
  readonly from: string;
  state: CallState = "setup";
  sipStatus = 0;
  endedBy: "caller" | "network" | null = null;
  readonly startedAt = new Date();
  answeredAt: Date | null = null;
  endedAt: Date | null = null;
  codec: Codec | null = null;
  rtp = { sent: 0, received: 0, lost: 0 };
  #digits = "";
  readonly #lastSecond = new Int16Array(SAMPLE_RATE);
  #samplesHeard = 0;
  #measured: { at: number; heard: Heard } | null = null;

  constructor(facts: { id: string; number: string; from: string }) {
    this.id = facts.id;
    this.number = facts.number;
    this.from = facts.from;
  }

  addDigit(digit: string): void {
    if (this.#digits.length < MAX_DIGITS) this.#digits += digit;
  }

  addAudio(samples: Int16Array): void {
    for (const sample of samples) this.#lastSecond[this.#samplesHeard++ % SAMPLE_RATE] = sample;
  }

  toView(): CallView {
    return {
      id: this.id,
      number: this.number,
      from: this.from,
      state: this.state,
      sipStatus: this.sipStatus,
      endedBy: this.endedBy,
      startedAt: this.startedAt.toISOString(),
      answeredAt: this.answeredAt?.toISOString() ?? null,
      endedAt: this.endedAt?.toISOString() ?? null,
      codec: this.codec,
      digits: this.#digits,
      heard: this.#heard(),
      rtp: { ...this.rtp },
    };
  }

  /** Measuring takes milliseconds, so it runs on request and once per piece of audio. */
  #heard(): Heard {
    if (this.#measured?.at !== this.#samplesHeard) this.#measured = { at: this.#samplesHeard, heard: measure(this.#inOrder()) };
    return this.#measured.heard;
  }

  #inOrder(): Int16Array {
    const ring = this.#lastSecond;
    if (this.#samplesHeard < ring.length) return ring.slice(0, this.#samplesHeard);
    const oldest = this.#samplesHeard % ring.length;
    const samples = new Int16Array(ring.length);
    samples.set(ring.subarray(oldest));
    samples.set(ring.subarray(0, oldest), ring.length - oldest);
    return samples;
  }
}
