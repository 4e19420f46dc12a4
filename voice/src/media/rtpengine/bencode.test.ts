import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bdecode, bencode, type BencodedValue } from "./bencode.ts";

const values = fc.letrec<{ value: BencodedValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 6 },
    fc.string({ unit: "grapheme" }),
    fc.maxSafeInteger(),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

describe("bencoding", () => {
  test("survives a round trip", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(bdecode(bencode(value))).toEqual(value);
      }),
    );
  });

  test("counts bytes and sorts keys", () => {
    expect(bencode({ sdp: "é", b: [1, -2], a: Buffer.from([0xff]) }).toString("latin1")).toBe(
      "d1:a1:\u00ff1:bli1ei-2ee3:sdp2:\u00c3\u00a9e",
    );
  });

  test("throws if it is truncated, changed or followed by more data", () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.integer({ min: 0, max: 255 }), (value, at, byte) => {
        const bytes = bencode(value);
        expect(() => bdecode(bytes.subarray(0, at % bytes.length))).toThrow(RangeError);
        expect(() => bdecode(Buffer.concat([bytes, Buffer.from([byte])]))).toThrow(RangeError);
        const changed = Buffer.from(bytes);
        changed[at % bytes.length] = byte;
        try {
          bdecode(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  test("throws if it is nested too deeply or contains an invalid number", () => {
    expect(() => bdecode(Buffer.from("l".repeat(100_000)))).toThrow(RangeError);
    for (const wrong of ["i01e", "i-0e", "ie", "i1", "01:a", "-1:a", "9999999999:a", "x", ""])
      expect(() => bdecode(Buffer.from(wrong))).toThrow(RangeError);
    expect(() => bencode(1.5)).toThrow(RangeError);
  });
});
