import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { updateRollover } from "./srtp-session.ts";

describe("the roll-over count of SRTP", () => {
  test.prop([fc.integer({ min: 0, max: 0xffff }), fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 50 })])(
    "survives any loss shorter than half the number space",
    (start, gaps) => {
      const state = { rolloverCounter: 0, lastSequenceNumber: 0 };
      let index = start;
      updateRollover(index & 0xffff, state);
      for (const gap of gaps) {
        index += gap;
        updateRollover(index & 0xffff, state);
        expect(state.rolloverCounter).toBe(Math.floor(index / 0x10000));
      }
    },
  );

  it("assigns a packet that is late across the wrap to the count before it", () => {
    const state = { rolloverCounter: 0, lastSequenceNumber: 0 };
    const counts = [65_535, 1, 65_534, 2].map((sequence) => {
      updateRollover(sequence, state);
      return state.rolloverCounter;
    });
    expect(counts).toEqual([0, 1, 0, 1]);
  });
});
