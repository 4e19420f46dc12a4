import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { EchoBuffer } from "./line-audio.ts";
import { measure } from "./call-record.ts";
import { type Codec, decodeG711, encodeG711 } from "./g711.ts";
import { buildRtp, parseRtp, parseTelephoneEvent, sequenceDistance } from "./rtp-packet.ts";
import { addSines, dtmfFrequencies, steadyTone } from "./tones.ts";

const sample = fc.integer({ min: -32_768, max: 32_767 });

describe("G.711", () => {
  it.each([
    ["PCMU", 0x00, -32_124],
    ["PCMU", 0x80, 32_124],
    ["PCMU", 0xff, 0],
    ["PCMA", 0xd5, 8],
    ["PCMA", 0x55, -8],
    ["PCMA", 0xaa, 32_256],
  ] as const)("decodes %s byte %i to sample %i, as in the standard's tables", (codec, byte, expected) => {
    expect(decodeG711(codec, Uint8Array.of(byte))[0]).toBe(expected);
  });

  for (const codec of ["PCMU", "PCMA"] as Codec[]) {
    test.prop([sample])(`${codec} preserves a sample to within its quantisation step`, (value) => {
      const back = decodeG711(codec, encodeG711(codec, Int16Array.of(value)))[0] as number;
      expect(Math.abs(back - value)).toBeLessThanOrEqual(
        Math.max(16, Math.abs(value) / 16 + 4, Math.abs(value) > 32_124 ? 700 : 0),
      );
    });

    it(`${codec} bytes survive decoding and re-encoding`, () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const back = decodeG711(codec, encodeG711(codec, decodeG711(codec, bytes)));
      expect(back).toEqual(decodeG711(codec, bytes));
    });
  }
});

describe("an RTP packet", () => {
  const packet = fc.record({
    payloadType: fc.integer({ min: 0, max: 63 }),
    marker: fc.boolean(),
    sequence: fc.nat(0xffff),
    timestamp: fc.nat(0xffff_ffff),
    ssrc: fc.nat(0xffff_ffff),
    payload: fc.uint8Array({ maxLength: 320 }).map((bytes) => Buffer.from(bytes)),
  });

  test.prop([packet])("parses as it was built", (given) => {
    expect(parseRtp(buildRtp(given))).toEqual(given);
  });

  test.prop([fc.uint8Array({ maxLength: 64 })])("never makes the parser throw, whatever its bytes", (bytes) => {
    const read = parseRtp(Buffer.from(bytes));
    if (read) parseTelephoneEvent(read.payload);
  });

  it("is not parsed from an RTCP packet on the same port", () => {
    expect(parseRtp(Buffer.from("80c8000600000000000000000000000000000000", "hex"))).toBeNull();
  });

  it("has a sequence number that wraps", () => {
    expect(sequenceDistance(65_535, 0)).toBe(1);
    expect(sequenceDistance(0, 65_535)).toBe(-1);
  });
});

describe("the tone measurement", () => {
  test.prop([fc.integer({ min: 100, max: 3400 })], { numRuns: 30 })(
    "finds a tone's frequency to 1 Hz after G.711 coding",
    (hz) => {
      const heard = measure(decodeG711("PCMU", encodeG711("PCMU", steadyTone(hz, 0, 8000))));
      expect(Math.abs((heard.frequencyHz ?? 0) - hz)).toBeLessThanOrEqual(1);
    },
  );

  it("finds no frequency in silence", () => {
    expect(measure(new Int16Array(8000))).toEqual({ frequencyHz: null, levelDb: -99 });
    expect(measure(new Int16Array(0))).toEqual({ frequencyHz: null, levelDb: null });
  });

  it("distinguishes all keys by their frequencies", () => {
    const pairs = [..."0123456789*#ABCD"].map((digit) => String(dtmfFrequencies(digit)));
    expect(new Set(pairs).size).toBe(16);
    expect(dtmfFrequencies("5")).toEqual([770, 1336]);
    expect(dtmfFrequencies("x")).toBeNull();
    const tone = new Int16Array(8000);
    addSines(tone, [770, 1336], 0);
    expect(Math.max(...tone)).toBeLessThan(32_767);
  });
});

describe("the echo buffer", () => {
  const DELAY_FRAMES = 25;

  test.prop([fc.nat(0xffff_ffff), fc.array(fc.boolean(), { minLength: 60, maxLength: 120 })])(
    "plays each packet half a second later and silence for lost ones, even when the timestamp wraps",
    (start, arrived) => {
      const buffer = new EchoBuffer(500);
      arrived[0] = true;
      const out: number[] = [];
      for (let frame = 0; frame < arrived.length + DELAY_FRAMES; frame++) {
        if (arrived[frame]) buffer.write((start + frame * 160) >>> 0, new Int16Array(160).fill(frame + 1));
        out.push(buffer.read(160)[80] as number);
      }
      expect(out).toEqual([...Array(DELAY_FRAMES).fill(0), ...arrived.map((came, frame) => (came ? frame + 1 : 0))]);
    },
  );

  it("restarts when the stream's timestamp jumps", () => {
    const buffer = new EchoBuffer(500);
    buffer.write(0, new Int16Array(160).fill(1));
    buffer.write(1_000_000, new Int16Array(160).fill(2));
    const heard = Array.from({ length: 30 }, () => buffer.read(160)[0]);
    expect(heard).toContain(2);
    expect(heard).not.toContain(1);
  });
});
