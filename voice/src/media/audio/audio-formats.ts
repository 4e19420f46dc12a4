import { callCodecOf, type TrunkCodec } from "../sdp/trunk-sdp.ts";
import { digitTone } from "./digit-tone.ts";
import { G711_CLOCK, SILENCE_PCMU } from "./g711.ts";
import { ringbackFrame } from "./ringback.ts";
import type { AudioFormat } from "./audio-format.ts";
import { opus } from "./opus.ts";

/** G.711, held in memory as PCMU and converted when sent to a PCMA trunk. */
export const g711: AudioFormat = {
  ...G711_CLOCK,
  codec: "g711",
  ringback: ringbackFrame,
  digitTone,
  silence: (payload) => payload.fill(SILENCE_PCMU),
};

/** The format of a far end's audio. */
export function formatOf(codec: TrunkCodec): AudioFormat {
  return callCodecOf(codec) === "opus" ? opus : g711;
}
