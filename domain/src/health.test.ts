import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeUses, type Use, usualIfFarBelow } from "./health.ts";

const NOW = 1_000_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Uses that end now, ten seconds apart: `+` worked, `-` failed, `p` a reading that worked, `q` one that failed. */
function uses(pattern: string): Use[] {
  return [...pattern].map((sign, index) => ({
    atMs: NOW - (pattern.length - 1 - index) * 10 * SECOND,
    failure: "-q".includes(sign) ? "status 500" : null,
    onlyRead: "pq".includes(sign),
  }));
}

describe("a part is judged by its latest uses", () => {
  test.each(["", "+", "+-", "++--+", "+++--", "+--+", "-+", "p", "pq", "pqq", "++++++++--++"])("%j is no trouble", (pattern) =>
    expect(judgeUses(uses(pattern), NOW).failure).toBeNull(),
  );

  test.each(["-", "--", "+---", "++++++++++++++++---", "+-+-+-", "q", "pqqq", "+qqq", "-p", "---p"])("%j is", (pattern) =>
    expect(judgeUses(uses(pattern), NOW)).toMatchObject({ failure: "status 500" }),
  );

  test("a reading that works counts again two minutes after the last change failed, and uses of long ago do not count", () => {
    const [failed] = uses("-") as [Use];
    const reading = { atMs: NOW + 3 * MINUTE, failure: null, onlyRead: true };
    expect(judgeUses([failed, reading], NOW + 3 * MINUTE).failure).toBeNull();
    expect(judgeUses([failed], NOW + 16 * MINUTE)).toEqual({
      ...{ worked: 0, failed: 0, lastAtMs: null, failure: null, failingSinceMs: null },
    });
  });

  test("it counts both, and says since when it fails", () => {
    expect(judgeUses(uses("++---"), NOW)).toEqual({
      ...{ worked: 2, failed: 3, lastAtMs: NOW, failure: "status 500", failingSinceMs: NOW - 20 * SECOND },
    });
  });

  test("a part that works after every failure is never down for good", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("+", "-"), { maxLength: 20 }), (before) => {
        expect(judgeUses(uses(`${before.join("")}${"+".repeat(20)}`.slice(-20)), NOW).failure).toBeNull();
      }),
    );
  });
});

describe("far below usual", () => {
  test.each([
    [0, [100, 110, 90, 105], 103],
    [30, [100, 110, 90, 105], 103],
    [45, [100, 110, 90, 105], null],
    [0, [100, 110, 90], null],
    [0, [10, 12, 9, 11], null],
    [10, [100, 110, 5, 105], null],
    [3, [100, 110, 5, 105], 103],
  ])("%i beside %j: %j", (count, weeks, usual) => expect(usualIfFarBelow(count, weeks)).toBe(usual));
});
