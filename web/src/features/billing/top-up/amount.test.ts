import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { betterPackage, estimatedMinutes, readTopUp, wholeDollars } from "./amount.ts";

describe("a typed top-up", () => {
  test.each([
    ["5", 5_000_000n],
    ["12.34", 12_340_000n],
    ["12,50", 12_500_000n],
    ["١٢٫٥٠", 12_500_000n],
    ["500", 500_000_000n],
  ])("of %j is read", (typed, micros) => expect(readTopUp(typed)).toEqual({ micros, problem: null }));

  test.each([
    ["", "too_little"],
    ["4.99", "too_little"],
    ["500,01", "too_much"],
    ["1,250", "unreadable"],
    ["abc", "unreadable"],
    ["10.001", "unreadable"],
  ])("of %j is refused: %s", (typed, problem) => expect(readTopUp(typed)).toEqual({ micros: null, problem }));
});

describe("whole dollars", () => {
  test.each([
    ["", "", false],
    ["0", "0", false],
    ["25", "25", false],
    [" $25 ", "25", false],
    ["\u200f٢٥", "25", false],
    ["２５", "25", false],
    ["12.50", "12", true],
    ["12,50", "12", true],
    ["12.", "12", true],
    ["١٢٫٥٠", "12", true],
    ["१२.५०", "12", true],
    ["12·50", "12", true],
    ["1,250.00", "1", true],
    ["1 250", "1", true],
    ["1’250", "1", true],
    ["1e3", "1", true],
    ["-5", "", true],
    ["abc", "", true],
  ])("stop at a separator: %j is %j", (typed, text, cut) => expect(wholeDollars(typed)).toEqual({ text, cut }));

  test("never exceed the typed amount, whatever separates the cents", () => {
    const cents = fc.tuple(
      fc.integer({ min: 0, max: 9_999 }),
      fc.string({ minLength: 1, maxLength: 2 }),
      fc.integer({ min: 0, max: 99 }),
    );
    fc.assert(
      fc.property(cents, ([whole, separator, part]) => {
        fc.pre(!/\p{Nd}/u.test(separator));
        expect(wholeDollars(`${whole}${separator}${part}`)).toEqual({ text: String(whole), cut: true });
      }),
    );
  });

  test("have at most seven digits", () => expect(wholeDollars("12345678")).toBeNull());
});

test("the estimate is the credit divided by $0.02, rounded down", () => {
  expect(estimatedMinutes(21_000_000n)).toBe(1050);
  expect(estimatedMinutes(5_019_999n)).toBe(250);
});

const offer = (amount: number, credit: number) => ({
  id: `p${amount}`,
  amount,
  total_credits: credit,
  is_popular: false,
  bonus_percentage: 0,
});
const packages = [offer(5, 5), offer(20, 21), offer(50, 55), offer(100, 110)];

test.each([
  [5, undefined],
  [20, "p20"],
  [21, undefined],
  [49, undefined],
  [51, "p50"],
  [54, "p50"],
  [55, undefined],
  [105, "p100"],
])("of $%i the better package is %s", (dollars, id) => {
  expect(betterPackage(packages, BigInt(dollars) * MICROS_PER_DOLLAR)?.id).toBe(id);
});
