import { measure, type AudioMeasurement } from "./frequency.ts";
import { decodeG711, encodeG711, type Codec } from "./g711.ts";
import { SAMPLE_RATE } from "./tones.ts";

const MAX_DIGITS = 64;
/** Long enough for a call that reads out a verification code. */
const MAX_RECORDED_SECONDS = 60;

type CallState = "setup" | "ringing" | "answered" | "ended";

/** One call as the phone network saw it; the JSON form of GET /phone-network/calls. */
export interface CallView {
  id: string;
  /** E.164 as dialled. */
  number: string;
  /** User part of the caller's address. */
  from: string;
  state: CallState;
  /** The last SIP status sent for the INVITE; 0 before any. */
  sipStatus: number;
  endedBy: "caller" | "network" | null;
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  codec: Codec | null;
  /** Keys the caller pressed, in order. */
  digits: string;
  /** Measured over the caller's last second of audio. */
  heard: AudioMeasurement;
  /** Length of the recording of what the called phone heard; 0 without one. */
  recordedSeconds: number;
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
  /** PCMU. */
  #recording: Buffer[] = [];
  #recordedSamples = 0;
  #measured: { at: number; heard: AudioMeasurement } | null = null;

  constructor(facts: { id: string; number: string; from: string }) {
    this.id = facts.id;
    this.number = facts.number;
    this.from = facts.from;
  }

  end(by: "caller" | "network"): void {
    this.state = "ended";
    this.endedBy = by;
    this.endedAt = new Date();
  }

  addDigit(digit: string): void {
    if (this.#digits.length < MAX_DIGITS) this.#digits += digit;
  }

  addAudio(samples: Int16Array): void {
    for (const sample of samples) this.#lastSecond[this.#samplesHeard++ % SAMPLE_RATE] = sample;
    if (this.#recordedSamples >= MAX_RECORDED_SECONDS * SAMPLE_RATE) return;
    this.#recording.push(encodeG711("PCMU", samples));
    this.#recordedSamples += samples.length;
  }

  /** What the called phone heard from the start, as a WAV file of a minute at most; null without audio. */
  recording(): Buffer | null {
    if (this.#recording.length === 0) return null;
    return waveFile(decodeG711("PCMU", Buffer.concat(this.#recording)));
  }

  dropRecording(): void {
    this.#recording = [];
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
      recordedSeconds: this.#recording.length === 0 ? 0 : Math.ceil(this.#recordedSamples / SAMPLE_RATE),
      rtp: { ...this.rtp },
    };
  }

  /** Measures on demand and caches the result, because a measurement takes milliseconds. */
  #heard(): AudioMeasurement {
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

/** 16-bit mono, which every browser plays. */
function waveFile(samples: Int16Array): Buffer {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write("RIFF", 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(SAMPLE_RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(samples.length * 2, 40);
  for (const [index, sample] of samples.entries()) file.writeInt16LE(sample, 44 + index * 2);
  return file;
}
