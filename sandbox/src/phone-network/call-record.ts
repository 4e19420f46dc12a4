import { type Codec, decodeG711, encodeG711 } from "./g711.ts";
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

const LOWEST_HZ = 80;

const HIGHEST_HZ = 3600;

const COARSE_STEP_HZ = 8;

const FINE_STEP_HZ = 1;

/** Quieter audio counts as silence; comfort noise and codec noise are below this. */
const SILENCE_DB = -50;

interface AudioMeasurement {
  /** The dominant frequency, to 1 Hz; null in silence. */
  frequencyHz: number | null;
  /** Level in dBFS, to 0.1 dB; null without samples. */
  levelDb: number | null;
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

/** Measures level and dominant frequency (Goertzel filters over a Hann window). */
export function measure(samples: Int16Array): AudioMeasurement {
  if (samples.length < SAMPLE_RATE / 20) return { frequencyHz: null, levelDb: null };
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  const levelDb = Math.max(-99, 10 * Math.log10(Math.max(energy, 1e-9) / samples.length / 32_768 ** 2));
  const rounded = Math.round(levelDb * 10) / 10;
  if (levelDb < SILENCE_DB) return { frequencyHz: null, levelDb: rounded };
  const windowed = hann(samples);
  const coarse = strongest(windowed, LOWEST_HZ, HIGHEST_HZ, COARSE_STEP_HZ);
  const fine = strongest(windowed, coarse - COARSE_STEP_HZ, coarse + COARSE_STEP_HZ, FINE_STEP_HZ);
  return { frequencyHz: fine, levelDb: rounded };
}

/** Energy at one frequency, in arbitrary units that are comparable within the same samples. */
export function goertzel(samples: Float64Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / SAMPLE_RATE);
  let previous = 0;
  let beforePrevious = 0;
  for (const sample of samples) {
    const current = sample + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
  }
  return previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
}

/**
 * Over long audio a filter is narrower than the coarse 8 Hz steps and could miss a tone, so the coarse search sums the energies
 * of 100 ms segments.
 */
function strongest(samples: Float64Array, fromHz: number, toHz: number, stepHz: number): number {
  const segment = stepHz >= COARSE_STEP_HZ ? SAMPLE_RATE / 10 : samples.length;
  let best = fromHz;
  let maxEnergy = -1;
  for (let hz = fromHz; hz <= toHz; hz += stepHz) {
    let energy = 0;
    for (let at = 0; at < samples.length; at += segment) energy += goertzel(samples.subarray(at, at + segment), hz);
    if (energy > maxEnergy) {
      maxEnergy = energy;
      best = hz;
    }
  }
  return best;
}

function hann(samples: Int16Array): Float64Array {
  const last = samples.length - 1;
  return Float64Array.from(samples, (sample, i) => sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / last)));
}
