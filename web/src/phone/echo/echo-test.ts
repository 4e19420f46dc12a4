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
