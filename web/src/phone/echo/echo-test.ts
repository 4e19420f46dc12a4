import type { MediaPath } from "../line/media-path.ts";
import type { PhoneError } from "../phone-error.ts";

/**
 * `listening`: silent, to measure the noise floor. `sounding`: tones are sent and awaited. `speaking`: callers hear their
 * own voice. `done` and `failed` stay until dismissed.
 */
export type EchoTestStatus = "connecting" | "listening" | "sounding" | "speaking" | "done" | "failed";

/** What returned from the exchange. */
export interface EchoTestResult {
  /** Whether the sent tones returned. */
  heard: boolean;
  /** Level of the returned sound relative to the sent sound, in decibels; about 0 on a good line, null when nothing returned. */
  levelDb: number | null;
  /** Delay from sending a tone until it is heard; null when nothing returned. */
  roundTripMs: number | null;
  /** Inbound packet loss, per cent. */
  lossPct: number | null;
  /** Mean opinion score 1 to 5; null when nothing returned. */
  mos: number | null;
  /** How the sound travelled: `none` if the network blocks it, null if unknown. */
  path: MediaPath | null;
  /** Peak level of the caller's voice, 0 to 1; 0 means that the microphone is silent. */
  voiceLevel: number;
}

export interface EchoTest {
  status: EchoTestStatus;
  /** Set when `done`. */
  result: EchoTestResult | null;
  /** Why it `failed`, for example `echo_unavailable` where the voice provider has no echo; null if unknown. */
  error: PhoneError | null;
}

/** The zero and full levels, in decibels below full scale: the range of speech. */
const QUIET_DB = -60;
const LOUD_DB = -10;

/** Loudness of samples between -1 and 1, on the meter's scale. */
export function loudness(wave: Float32Array): number {
  let power = 0;
  for (const sample of wave) power += sample * sample;
  const decibels = 10 * Math.log10(power / Math.max(1, wave.length) + 1e-12);
  return Math.min(1, Math.max(0, (decibels - QUIET_DB) / (LOUD_DB - QUIET_DB)));
}

/** The amplitude of one frequency in samples between -1 and 1 (Goertzel). */
export function toneAmplitude(wave: Float32Array, hertz: number, sampleRate: number): number {
  const omega = (2 * Math.PI * hertz) / sampleRate;
  const coefficient = 2 * Math.cos(omega);
  let before = 0;
  let last = 0;
  for (const sample of wave) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
  }
  const power = last * last + before * before - coefficient * last * before;
  return wave.length === 0 ? 0 : (2 * Math.sqrt(Math.max(0, power))) / wave.length;
}

/** One received tone: its delay since it was sent, and its peak amplitude. */
export interface ToneHeard {
  afterMs: number;
  amplitude: number;
}

/** The median of the tones that came back; null when fewer than half did, because that was another sound. */
export function judgeTones(
  heard: readonly (ToneHeard | null)[],
  sentAmplitude: number,
): { roundTripMs: number; levelDb: number } | null {
  const there = heard.filter((tone) => tone !== null);
  if (there.length === 0 || there.length * 2 < heard.length) return null;
  const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const amplitude = middle(there.map((tone) => tone.amplitude));
  return {
    roundTripMs: Math.round(middle(there.map((tone) => tone.afterMs))),
    levelDb: Math.round(200 * Math.log10(amplitude / sentAmplitude)) / 10,
  };
}
