import type { CallCodec } from "../../call-codec.ts";

/** The clock of RTP timestamps. */
export interface RtpClock {
  readonly ticksPerSecond: number;
  /** Per 20 ms packet, the packet size of all our peers. */
  readonly frameTicks: number;
}

/** What the media plane needs of a codec: it forwards packets and generates some tones. */
export interface AudioFormat extends RtpClock {
  readonly codec: CallCodec;
  /** Frame `index` (20 ms, from 0) of endless ringback. Shared, so do not modify it. */
  ringback(index: number): Buffer;
  digitTone(key: string, index: number): Buffer;
  /** Overwrites a payload with silence. */
  silence(payload: Buffer): Buffer;
}
