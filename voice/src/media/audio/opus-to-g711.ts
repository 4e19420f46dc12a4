import type { OpusDecoderHandle } from "libopus-wasm";
import { type ReceivedRtp, RTP_HEADER_BYTES } from "../rtp/rtp-header.ts";
import { encodeUlaw, SAMPLES_PER_SECOND } from "./g711.ts";
import { opus } from "./opus.ts";

const TICKS_PER_SAMPLE = opus.ticksPerSecond / SAMPLES_PER_SECOND;

/** Converts a caller's Opus to PCMU, packet by packet, so that loss and reordering stay visible to the far end. */
export class OpusToG711 {
  readonly #decoder: OpusDecoderHandle;
  #ssrc: number | null = null;
  #timestamp = 0;
  /** The time in Opus' clock without wrapping, because 2^32 is not a multiple of six. */
  #ticks = 0;

  private constructor(decoder: OpusDecoderHandle) {
    this.#decoder = decoder;
  }

  /** Loads libopus for the first one: 15 ms and 27 MB. */
  static async open(): Promise<OpusToG711> {
    const { createDecoder } = await import("libopus-wasm");
    return new OpusToG711(await createDecoder({ channels: 1, sampleRate: SAMPLES_PER_SECOND }));
  }

  /** The packet in PCMU, at most 960 samples (120 ms, RFC 6716 §2.1.4). Null if it is damaged. */
  convert(rtp: ReceivedRtp): ReceivedRtp | null {
    const timestamp = this.#sampleAt(rtp);
    const samples = this.#decode(rtp.payload);
    if (samples === null) return null;
    const packet = Buffer.allocUnsafe(RTP_HEADER_BYTES + samples.length);
    for (let i = 0; i < samples.length; i += 1) packet[RTP_HEADER_BYTES + i] = encodeUlaw(samples[i] as number);
    return { ...rtp, packet, payload: packet.subarray(RTP_HEADER_BYTES), payloadOffset: RTP_HEADER_BYTES, timestamp };
  }

  close(): void {
    this.#decoder.free();
  }

  #decode(payload: Buffer): Int16Array | null {
    try {
      return this.#decoder.decode(payload);
    } catch {
      // The caller controls the packet: no error of the decoder may end the process.
      return null;
    }
  }

  #sampleAt({ ssrc, timestamp }: ReceivedRtp): number {
    if (ssrc === this.#ssrc) this.#ticks += (timestamp - this.#timestamp) | 0;
    this.#ssrc = ssrc;
    this.#timestamp = timestamp;
    return Math.floor(this.#ticks / TICKS_PER_SAMPLE) >>> 0;
  }
}
