import fc from "fast-check";
import { expect, test } from "vitest";
import { isRaise, type SetTerm } from "./term-order.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
const day = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const at = (level: number, days: number): SetTerm => ({ level: BigInt(level), until: day(days) });
/** Levels as of tiers: 0 is the floor, 3 the most. */
const earned = (level: number) => ({ level: BigInt(level), floor: 0n });

test.each([
  ["more", null, at(3, 1), 1, true],
  ["less", null, at(1, 30), 2, false],
  ["less than what is set", at(3, 30), at(2, 30), 1, false],
  ["the same for longer", at(3, 1), at(3, 365), 1, true],
  ["the same for shorter", at(3, 30), at(3, 1), 1, false],
  ["less, but for longer than the more that was set", at(3, 1), at(2, 365), 1, true],
  ["what is earned, fixed", null, at(2, 365), 2, true],
  ["the floor, fixed", null, at(0, 365), 0, false],
  ["less than earned, for longer", at(1, 1), at(1, 365), 2, false],
  ["the end of less", at(1, 30), null, 2, true],
  ["the end of more", at(3, 30), null, 1, false],
  ["an earlier end of less", at(1, 30), at(1, 1), 2, true],
  ["an expired term, set again", at(3, -1), at(3, 1), 1, true],
] as const)("%s", (...[, before, after, own, raises]) => {
  expect(isRaise({ before, after, earned: earned(own), now: NOW })).toBe(raises);
});

const term = fc.option(
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 12 })).map(([level, end]) => at(level, end)),
  {
    nil: null,
  },
);
const levelOn = (set: SetTerm | null, own: bigint, time: Date) => (set !== null && time < set.until ? set.level : own);

test("what is no raise never allows more on any day", () => {
  fc.assert(
    fc.property(term, term, fc.integer({ min: 0, max: 3 }), (before, after, own) => {
      if (isRaise({ before, after, earned: earned(own), now: NOW })) return;
      for (let days = 0; days < 14; days += 1)
        expect(levelOn(after, BigInt(own), day(days))).toBeLessThanOrEqual(levelOn(before, BigInt(own), day(days)));
    }),
  );
});

test("longer or higher is always a raise of what is above the earned level, and repeating a term is none", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (level, end, more) => {
        const before = at(level, end);
        const of = (after: SetTerm) => isRaise({ before, after, earned: earned(level - 1), now: NOW });
        expect([of(before), of(at(level, end + more)), of(at(level + 1, 1))]).toEqual([false, true, true]);
      },
    ),
  );
});
