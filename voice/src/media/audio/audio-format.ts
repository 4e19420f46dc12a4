import type { CallCodec } from "../../call-codec.ts";

/** The clock of RTP timestamps. */
export interface RtpClock {
  readonly ticksPerSecond: number;
  /** In a packet of 20 ms, which every peer of ours sends. */
  readonly frameTicks: number;
}

/** What the media plane must know of a codec. It forwards packets without decoding them, but generates some sounds itself. */
export interface AudioFormat extends RtpClock {
  readonly codec: CallCodec;
  /** Frame `index` (20 ms each, from 0) of endless ringback. Shared: don't modify it. */
  ringback(index: number): Buffer;
  /** Frame `index` of a key's tone. */
  digitTone(key: string, index: number): Buffer;
  /** Turns a packet's payload into silence, in its own memory. */
  silence(payload: Buffer): Buffer;
}
