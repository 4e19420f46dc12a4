import { describe, expect, test } from "vitest";
import { estimatedMinutes, readTopUp, readWholeTopUp } from "./amount.ts";

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

describe("a typed top-up of whole dollars", () => {
  test.each([
    ["5", 5_000_000n],
    [" 25 ", 25_000_000n],
    ["\u200f٢٥", 25_000_000n],
    ["२५", 25_000_000n],
  ])("of %j is read", (typed, micros) => expect(readWholeTopUp(typed)).toEqual({ micros, problem: null }));

  test.each([
    ["", "too_little"],
    ["4", "too_little"],
    ["501", "too_much"],
    ["12.", "unreadable"],
    ["12.50", "unreadable"],
    ["12,50", "unreadable"],
    ["١٢٫٥٠", "unreadable"],
    ["1,250.00", "unreadable"],
    ["1 250", "unreadable"],
    ["-5", "unreadable"],
    ["1e3", "unreadable"],
  ])("of %j is refused: %s", (typed, problem) => expect(readWholeTopUp(typed)).toEqual({ micros: null, problem }));
});

test("the estimate is the credit divided by $0.02, rounded down", () => {
  expect(estimatedMinutes(21_000_000n)).toBe(1050);
  expect(estimatedMinutes(5_019_999n)).toBe(250);
});
