import { digitTone } from "./digit-tone.ts";
import { G711_CLOCK, SILENCE_PCMU } from "./g711.ts";
import { ringbackFrame } from "./ringback.ts";
import type { AudioFormat } from "./audio-format.ts";

/** G.711, in memory as PCMU; a trunk that wants PCMA gets it on the way out. */
export const g711: AudioFormat = {
  ...G711_CLOCK,
  codec: "g711",
  ringback: ringbackFrame,
  digitTone,
  silence: (payload) => payload.fill(SILENCE_PCMU),
};
