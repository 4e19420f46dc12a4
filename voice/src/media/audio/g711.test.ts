import { describe, expect, it } from "vitest";
import { alawToUlaw, decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw, SILENCE_PCMU, ulawToAlaw } from "./g711.ts";

const everyByte = Array.from({ length: 256 }, (_, byte) => byte);

describe("G.711", () => {
  it("matches the standard's tables at their limits", () => {
    // ITU-T G.711 tables 1a, 2a: full scale, smallest steps, zero.
    expect([0x80, 0x00, 0xff, 0x7f, 0xfe, 0xef].map(decodeUlaw)).toEqual([32_124, -32_124, 0, -0, 8, 132]);
    expect([0xaa, 0x2a, 0xd5, 0x55].map(decodeAlaw)).toEqual([32_256, -32_256, 8, -8]);
    expect(encodeUlaw(0)).toBe(SILENCE_PCMU);
    expect(encodeAlaw(0)).toBe(0xd5);
    expect([32_767, -32_768].map(encodeUlaw)).toEqual([0x80, 0x00]);
    expect([32_767, -32_768].map(encodeAlaw)).toEqual([0xaa, 0x2a]);
  });

  it("encodes each decoded code to itself", () => {
    expect(everyByte.map((byte) => encodeAlaw(decodeAlaw(byte)))).toEqual(everyByte);
    expect(everyByte.filter((byte) => byte !== 0x7f).map((byte) => encodeUlaw(decodeUlaw(byte)))).toEqual(
      everyByte.filter((byte) => byte !== 0x7f),
    );
  });

  it("loses at most one step in a round trip between u-law and A-law", () => {
    const there = Buffer.from(everyByte);
    ulawToAlaw(there);
    alawToUlaw(there);
    for (const byte of everyByte) {
      const before = decodeUlaw(byte);
      expect(Math.abs(decodeUlaw(there[byte] as number) - before)).toBeLessThanOrEqual(Math.max(16, Math.abs(before) / 16));
    }
  });
});
