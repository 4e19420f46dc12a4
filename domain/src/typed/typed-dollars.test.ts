import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromDecimalString } from "../money.ts";
import { dollarsToSend, readDollars } from "./typed-dollars.ts";

describe("dollars as people type them", () => {
  test.each([
    ["5", "5.00"],
    [" 12.5 ", "12.50"],
    ["12,50", "12.50"],
    ["12،50", "12.50"],
    ["١٢٫٥٠", "12.50"],
    ["۱۲٫۵", "12.50"],
    ["१२.५०", "12.50"],
    ["１２", "12.00"],
    ["\u200f٢٠\u200f", "20.00"],
    ["$12.50", "12.50"],
    ["12,50\u00a0$", "12.50"],
    ["12.", "12.00"],
    ["12,", "12.00"],
    ["0", "0.00"],
  ])("%j are %s", (typed, dollars) => {
    expect(readDollars(typed)).toBe(fromDecimalString(dollars));
    expect(dollarsToSend(typed)).toBe(dollars);
  });

  test.each([
    "",
    ".",
    ",50",
    "1,250",
    "1.250",
    "1,250.00",
    "1.250,00",
    "1 250",
    "1’250",
    "12,,5",
    "12.5.0",
    "12.505",
    "-5",
    "+5",
    "€5",
    "1e3",
    "abc",
    "1234567890123",
  ])("%j are refused, and sent as they are", (typed) => {
    expect(readDollars(typed)).toBeNull();
    expect(dollarsToSend(typed)).toBe(typed);
  });

  test("never become more, whatever separates the cents", () => {
    const parts = fc.tuple(
      fc.integer({ min: 0, max: 9_999 }),
      fc.string({ minLength: 1, maxLength: 2 }),
      fc.integer({ min: 10, max: 99 }),
    );
    fc.assert(
      fc.property(parts, ([whole, separator, cents]) => {
        fc.pre(!/[\p{Nd}\p{Cf}\u115f\u1160\u3164\uffa0]/u.test(separator));
        const read = readDollars(`${whole}${separator}${cents}`);
        if (read !== null) expect(read).toBe(fromDecimalString(`${whole}.${cents}`));
      }),
    );
  });
});
