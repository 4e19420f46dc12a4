import { callCodecOf, type TrunkCodec } from "../sdp/trunk-sdp.ts";
import type { AudioFormat } from "./audio-format.ts";
import { g711 } from "./g711-format.ts";
import { opus } from "./opus.ts";

/** The format of a far end's audio. */
export function formatOf(codec: TrunkCodec): AudioFormat {
  return callCodecOf(codec) === "opus" ? opus : g711;
}
