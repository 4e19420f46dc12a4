import { describe, expect, test } from "vitest";
import { estimatedMinutes, isWholeDollars, topUpAmount } from "./amount.ts";

describe("a typed amount", () => {
  test("is accepted from five dollars", () => {
    expect(topUpAmount("4.99")).toBeNull();
    expect(topUpAmount("5")).toBe(5_000_000n);
    expect(topUpAmount("12.34")).toBe(12_340_000n);
  });

  test("is refused if it is not an amount", () => {
    for (const typed of ["", "abc", "1e3", "-10", "10.001"]) expect(topUpAmount(typed)).toBeNull();
  });

  test("of whole dollars is empty or digits", () => {
    for (const typed of ["", "0", "25"]) expect(isWholeDollars(typed)).toBe(true);
    for (const typed of ["2.5", "-1", "1 0", "12345678"]) expect(isWholeDollars(typed)).toBe(false);
  });
});

test("the estimate is the credit divided by $0.02, rounded down", () => {
  expect(estimatedMinutes(21_000_000n)).toBe(1050);
  expect(estimatedMinutes(5_019_999n)).toBe(250);
});
