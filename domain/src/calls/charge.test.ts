import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billedSeconds, type BillingRate, chargeFor, isFreeCall, longestCallSeconds, minimumHold } from "./charge.ts";

const rate: fc.Arbitrary<BillingRate> = fc.record({
  ratePerMinuteMicros: fc.bigInt({ min: 1n, max: 10_000_000n }),
  firstIntervalSeconds: fc.integer({ min: 1, max: 120 }),
  nextIntervalSeconds: fc.integer({ min: 1, max: 120 }),
});
const seconds = fc.integer({ min: 0, max: 100_000 });
const perSecond: BillingRate = { ratePerMinuteMicros: 21_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 };

test("a longer call never costs less", () => {
  fc.assert(
    fc.property(rate, seconds, seconds, (r, a, b) => {
      const [short, long] = a < b ? [a, b] : [b, a];
      expect(chargeFor(short, r)).toBeLessThanOrEqual(chargeFor(long, r));
    }),
  );
});

test("a charge is the exact price of the billed seconds, rounded up by less than a micro-dollar", () => {
  fc.assert(
    fc.property(rate, seconds, (r, s) => {
      const exactTimes60 = r.ratePerMinuteMicros * BigInt(billedSeconds(s, r));
      const charge = chargeFor(s, r);
      expect(charge * 60n).toBeGreaterThanOrEqual(exactTimes60);
      expect(charge * 60n - exactTimes60).toBeLessThan(60n);
    }),
  );
});

test("billed seconds are the fewest whole increments that cover the call", () => {
  fc.assert(
    fc.property(rate, fc.integer({ min: 1, max: 100_000 }), (r, s) => {
      const billed = billedSeconds(s, r);
      expect(billed).toBeGreaterThanOrEqual(s);
      expect((billed - r.firstIntervalSeconds) % r.nextIntervalSeconds).toBe(0);
      expect(billed === r.firstIntervalSeconds || billed - r.nextIntervalSeconds < s).toBe(true);
    }),
  );
});

test("the credit pays for the longest call, but not for one more increment", () => {
  fc.assert(
    fc.property(rate, fc.bigInt({ min: 0n, max: 1_000_000_000n }), fc.integer({ min: 0, max: 14_400 }), (r, available, cap) => {
      const longest = longestCallSeconds(available, r, cap);
      expect(longest).toBeLessThanOrEqual(cap);
      expect(chargeFor(longest, r)).toBeLessThanOrEqual(available);
      const oneMore = longest === 0 ? r.firstIntervalSeconds : longest + r.nextIntervalSeconds;
      expect(oneMore > cap || chargeFor(oneMore, r) > available).toBe(true);
    }),
  );
});

test("a call within its maximum length costs no more than the available credit", () => {
  fc.assert(
    fc.property(
      rate,
      fc.bigInt({ min: 0n, max: 10_000_000n }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (r, available, part) => {
        expect(chargeFor(longestCallSeconds(available, r, 14_400) * part, r)).toBeLessThanOrEqual(available);
      },
    ),
  );
});

describe("the charge", () => {
  test.each([
    [0, 1, 1, 0n],
    [1, 1, 1, 350n],
    [7, 1, 1, 2_450n],
    [7, 6, 6, 4_200n],
    [60, 60, 60, 21_000n],
    [61, 60, 60, 42_000n],
    [5, 30, 6, 10_500n],
    [31, 30, 6, 12_600n],
    [1704, 1, 1, 596_400n],
  ])(
    "for %s s at $0.0210 per minute in increments of %s/%s s is exact",
    (length, firstIntervalSeconds, nextIntervalSeconds, charge) => {
      expect(chargeFor(length, { ...perSecond, firstIntervalSeconds, nextIntervalSeconds })).toBe(charge);
    },
  );

  test("is rounded up to whole micro-dollars once, at the end", () => {
    expect(chargeFor(1, { ...perSecond, ratePerMinuteMicros: 100n })).toBe(2n);
    expect(chargeFor(60, { ...perSecond, ratePerMinuteMicros: 100n })).toBe(100n);
  });

  test("of an unanswered call is zero, whatever the first increment", () => {
    expect(chargeFor(0, { ...perSecond, firstIntervalSeconds: 60 })).toBe(0n);
  });
});

test("the minimum hold pays for a minute, or for the first increment if that is longer", () => {
  expect(minimumHold(perSecond)).toBe(21_000n);
  expect(minimumHold({ ...perSecond, firstIntervalSeconds: 90 })).toBe(31_500n);
});

test("credit for exactly the first increment allows a call of that length", () => {
  expect(longestCallSeconds(10_500n, { ...perSecond, firstIntervalSeconds: 30, nextIntervalSeconds: 6 }, 3600)).toBe(30);
});

test("without credit or with a debt no call is possible, and a free number is limited by the cap only", () => {
  expect(longestCallSeconds(0n, perSecond, 3600)).toBe(0);
  expect(longestCallSeconds(-5_000_000n, perSecond, 3600)).toBe(0);
  const free = { ...perSecond, ratePerMinuteMicros: 0n };
  expect(longestCallSeconds(0n, free, 3600)).toBe(3600);
  expect(longestCallSeconds(-1n, free, 3600)).toBe(0);
});

test("an invalid length or rate throws instead of being charged", () => {
  expect(() => billedSeconds(-1, perSecond)).toThrow(RangeError);
  expect(() => billedSeconds(Number.NaN, perSecond)).toThrow(RangeError);
  expect(() => chargeFor(1, { ...perSecond, nextIntervalSeconds: 0 })).toThrow(RangeError);
  expect(() => chargeFor(1, { ...perSecond, ratePerMinuteMicros: -1n })).toThrow(RangeError);
  expect(() => longestCallSeconds(1n, perSecond, -1)).toThrow(RangeError);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "a price with a block of %s seconds charges nobody: it is an error",
  (block) => {
    for (const broken of [
      { ...perSecond, firstIntervalSeconds: block },
      { ...perSecond, nextIntervalSeconds: block },
    ]) {
      expect(() => chargeFor(10, broken)).toThrow(RangeError);
      expect(() => longestCallSeconds(1_000_000n, broken, 60)).toThrow(RangeError);
    }
  },
);

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("a cap of %s seconds throws, and a cap of 0 allows no call", (cap) => {
  expect(() => longestCallSeconds(1_000_000n, perSecond, cap)).toThrow(RangeError);
  expect(() => longestCallSeconds(1_000_000n, { ...perSecond, ratePerMinuteMicros: 0n }, cap)).toThrow(RangeError);
  expect(longestCallSeconds(1_000_000n, perSecond, 0)).toBe(0);
});

test.each([
  ["0.12", "0.25", true],
  ["0.25", "0.25", true],
  ["0.250001", "0.25", false],
  ["0.00", undefined, true],
  ["0.000001", undefined, false],
])("a call that cost $%s with $%s for a first call: free is %s", (cost, free, isFree) => {
  expect(isFreeCall({ free_up_to: free }, cost)).toBe(isFree);
});
