import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimatedMinutes, topUpAmount, wholeDollars } from "./amount.ts";

describe("a typed amount", () => {
  test("is accepted from five dollars", () => {
    expect(topUpAmount("4.99")).toBeNull();
    expect(topUpAmount("5")).toBe(5_000_000n);
    expect(topUpAmount("12.34")).toBe(12_340_000n);
  });

  test("is refused if it is not an amount", () => {
    for (const typed of ["", "abc", "1e3", "-10", "10.001"]) expect(topUpAmount(typed)).toBeNull();
  });

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
    ["0x10", "0", true],
    ["-5", "", true],
    ["abc", "", true],
  ])("of whole dollars stops at a separator: %j is %j", (typed, text, cut) => expect(wholeDollars(typed)).toEqual({ text, cut }));

  test("of whole dollars never exceeds the typed amount, whatever separates the cents", () => {
    const cents = fc.tuple(
      fc.integer({ min: 0, max: 9_999 }),
      fc.string({ minLength: 1, maxLength: 2 }),
      fc.integer({ min: 0, max: 99 }),
    );
    fc.assert(
      fc.property(cents, ([whole, separator, part]) => {
        fc.pre(!/\p{Nd}/u.test(separator));
        const kept = wholeDollars(`${whole}${separator}${part}`);
        expect(kept).toEqual({ text: String(whole), cut: true });
      }),
    );
  });

  test("of whole dollars has at most seven digits", () => expect(wholeDollars("12345678")).toBeNull());
});

test("the estimate is the credit divided by $0.02, rounded down", () => {
  expect(estimatedMinutes(21_000_000n)).toBe(1050);
  expect(estimatedMinutes(5_019_999n)).toBe(250);
});
