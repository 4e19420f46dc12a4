import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { opusToneFrames } from "../../../test/opus-tone.ts";
import { samplesOf, share } from "../../../test/tone.ts";
import { type ReceivedRtp, readRtp, RTP_HEADER_BYTES, writeRtpHeader } from "../rtp/rtp-header.ts";
import { opus } from "./opus.ts";
import { OpusToG711 } from "./opus-to-g711.ts";

const HERTZ = 700;
/** 120 ms, the longest packet. */
const MAX_SAMPLES = 960;
const FIRST_TIMESTAMP = 0xffff_fe00; // wraps soon

let converter: OpusToG711;
let tone: readonly Buffer[];
beforeAll(async () => {
  [converter, tone] = await Promise.all([OpusToG711.open(), opusToneFrames(HERTZ, 1)]);
});
afterAll(() => converter.close());

function packetOf(payload: Buffer, index: number, ssrc = 1): ReceivedRtp {
  const packet = Buffer.concat([Buffer.alloc(RTP_HEADER_BYTES), payload]);
  const timestamp = (FIRST_TIMESTAMP + index * opus.frameTicks) >>> 0;
  writeRtpHeader(packet, { payloadType: 111, marker: false, sequence: index & 0xffff, timestamp, ssrc });
  return readRtp(packet) as ReceivedRtp;
}

describe("Opus converted to PCMU", () => {
  it("is the same sound, in packets of the same length and numbers", () => {
    const packets = tone.map((frame, i) => converter.convert(packetOf(frame, i)));
    const heard = samplesOf(Buffer.concat(packets.map((packet) => packet?.payload ?? Buffer.alloc(0))));
    expect(heard).toHaveLength(50 * 160);
    expect(share(heard, HERTZ)).toBeGreaterThan(0.95);
    const ticks = packets.map((packet) => packet?.timestamp ?? 0);
    expect(new Set(ticks.slice(1).map((tick, i) => (tick - (ticks[i] ?? 0)) | 0))).toEqual(new Set([160]));
    expect(packets.map((packet) => packet?.sequence)).toEqual(packets.map((_, i) => i));
  });

  it("keeps the time of lost packets", () => {
    const [before, after] = [0, 10].map((index) => converter.convert(packetOf(tone[index] as Buffer, index, 2)));
    expect(((after?.timestamp ?? 0) - (before?.timestamp ?? 0)) | 0).toBe(10 * 160);
  });

  it("is nothing for a packet that libopus rejects", () => {
    expect(converter.convert(packetOf(Buffer.from([0xff]), 0))).toBeNull();
    expect(converter.convert(packetOf(tone[0] as Buffer, 1))?.payload).toHaveLength(160);
  });

  test.prop([fc.uint8Array({ minLength: 1, maxLength: 1_400 })])(
    "is bounded, and never fails, whatever the caller sends",
    (bytes) => {
      const samples = converter.convert(packetOf(Buffer.from(bytes), 2))?.payload.length ?? 0;
      expect(samples).toBeLessThanOrEqual(MAX_SAMPLES);
    },
  );
});
