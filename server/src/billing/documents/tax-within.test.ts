import { fc, test as property } from "@fast-check/vitest";
import { parsePercent } from "@farline/domain/percent.ts";
import { expect, test } from "vitest";
import { taxWithin } from "./tax-within.ts";

test.each([
  [119_000_000n, "19", 19_000_000n],
  [20_000_000n, "8.875", 1_630_000n], // 1.63031…
  [5_000_000n, "7.7", 360_000n], // 0.35747…
  [10_100_000n, "1", 100_000n],
  [20_000_000n, "0", 0n],
])("%s at %s %% contains %s tax", (amountMicros, percent, expected) => {
  expect(taxWithin(amountMicros, { taxMillipercent: parsePercent(percent) })).toEqual({ percent, amountMicros: expected });
});

test("the tax within an amount is null if no tax is stated", () => {
  expect(taxWithin(20_000_000n, { taxMillipercent: null })).toBeNull();
});

test.each(["", "-1", "100", "1e1", "19%", "8.8750", "1,5", "NaN"])("%j is not a percentage", (text) => {
  expect(parsePercent(text)).toBeNull();
});

property.prop([fc.bigInt({ min: 1n, max: 100_000_000n }), fc.integer({ min: 0, max: 99_999 })])(
  "is whole cents, never more than the price, and within half a cent of the exact tax",
  (cents, taxMillipercent) => {
    const tax = taxWithin(cents * 10_000n, { taxMillipercent });
    const micros = tax?.amountMicros ?? -1n;
    expect(micros % 10_000n).toBe(0n);
    expect(micros >= 0n && micros <= cents * 10_000n).toBe(true);
    const exactTimes = cents * BigInt(taxMillipercent);
    const bookedTimes = (micros / 10_000n) * BigInt(100_000 + taxMillipercent);
    const difference = exactTimes > bookedTimes ? exactTimes - bookedTimes : bookedTimes - exactTimes;
    expect(difference * 2n <= BigInt(100_000 + taxMillipercent)).toBe(true);
  },
);
