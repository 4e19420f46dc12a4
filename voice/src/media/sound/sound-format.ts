import type { CallCodec } from "../../call-codec.ts";

/** The clock of RTP timestamps. */
export interface SoundClock {
  readonly ticksPerSecond: number;
  /** In a packet of 20 ms, which every peer of ours sends. */
  readonly frameTicks: number;
}

/** A codec as far as the media must know it: what it passes on it does not understand, but some sounds are its own. */
export interface SoundFormat extends SoundClock {
  readonly codec: CallCodec;
  /** Frame `index` (20 ms each, from 0) of endless ringback. Shared: don't modify it. */
  ringback(index: number): Buffer;
  /** Frame `index` of a key's tone. */
  digitTone(key: string, index: number): Buffer;
  /** Turns a packet's payload into silence, in its own memory. */
  silence(payload: Buffer): Buffer;
}
