import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { ReplayList } from "./replay-list.ts";

describe("the replay list", () => {
  it("takes each packet once, in any order, and none that is far behind", () => {
    const list = new ReplayList();
    const added = [1_000, 1_002, 1_001, 1_001, 1_002, 1_126, 1_000, 999, 1_129, 1_001].map((index) => list.add(7, index));
    expect(added).toEqual([true, true, true, false, false, true, false, true, true, false]);
  });

  it("keeps a window for each source", () => {
    const list = new ReplayList();
    expect([list.add(1, 5), list.add(2, 5), list.add(1, 5)]).toEqual([true, true, false]);
  });

  test.prop([fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 })])(
    "never takes a packet twice",
    (indices) => {
      const list = new ReplayList();
      const taken = indices.filter((index) => list.add(1, index));
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken).toContain(Math.max(...indices));
    },
  );
});
