import type { PhoneError } from "../phone-error.ts";

/**
 * `listening`: quiet, to know the silence. `sounding`: tones go out and are waited for. `speaking`: the caller hears
 * their own voice. `done` and `failed` stay until dismissed.
 */
export type EchoTestStatus = "connecting" | "listening" | "sounding" | "speaking" | "done" | "failed";

/** What came back from the exchange. */
export interface EchoTestResult {
  /** Whether the tones that went out came back. */
  heard: boolean;
  /** Loudness of what came back against what went out, decibels; about 0 on a good line, null when nothing came back. */
  levelDb: number | null;
  /** From the tone's way out until it is heard again; null when nothing came back. */
  roundTripMs: number | null;
  /** Sound packets lost on the way here, per cent. */
  lossPct: number | null;
  /** Mean opinion score 1 to 5; null when nothing came back. */
  mos: number | null;
  /** The loudest the caller's own voice was, 0 to 1: 0 means that the microphone is silent. */
  voiceLevel: number;
}

export interface EchoTest {
  status: EchoTestStatus;
  /** Set when `done`. */
  result: EchoTestResult | null;
  /** Why it `failed`, for example `echo_unavailable` where the voice provider has no echo; null where nobody knows. */
  error: PhoneError | null;
}
