import { digitTone } from "./digit-tone.ts";
import { G711_CLOCK, SILENCE_PCMU } from "./g711.ts";
import { ringbackFrame } from "./ringback.ts";
import type { AudioFormat } from "./audio-format.ts";

/** G.711, held in memory as PCMU and converted when sent to a PCMA trunk. */
export const g711: AudioFormat = {
  ...G711_CLOCK,
  codec: "g711",
  ringback: ringbackFrame,
  digitTone,
  silence: (payload) => payload.fill(SILENCE_PCMU),
};
