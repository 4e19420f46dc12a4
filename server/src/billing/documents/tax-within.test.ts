import { fc, test as property } from "@fast-check/vitest";
import { parsePercent } from "@farline/contract/settings/value-kinds.ts";
import { expect, test } from "vitest";
import { type Returned, taxOfNextRefund, taxWithin } from "./tax-within.ts";

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

const cents = fc.integer({ min: 1, max: 10_000 });
const parts = fc.array(fc.record({ cents, comesBack: fc.boolean() }), { minLength: 1, maxLength: 100 });
property.prop([parts, fc.integer({ min: 0, max: 99_999 })])(
  "the tax of refunds adds up to that of their sum after each one, however a payment is split, and when some come back",
  (steps, taxMillipercent) => {
    let returned: Returned = { amountMicros: 0n, taxMicros: 0n };
    for (const { cents: size, comesBack } of steps) {
      const amountMicros = BigInt(size) * 10_000n;
      const direction = comesBack && returned.amountMicros >= amountMicros ? -1n : 1n;
      const tax = taxOfNextRefund(returned, { amountMicros, direction }, { taxMillipercent });
      expect(tax !== null && tax >= 0n && tax <= amountMicros).toBe(true);
      returned = {
        amountMicros: returned.amountMicros + direction * amountMicros,
        taxMicros: returned.taxMicros + direction * (tax ?? 0n),
      };
      expect(returned.taxMicros).toBe(taxWithin(returned.amountMicros, { taxMillipercent })?.amountMicros);
    }
  },
);

test("a hundred refunds of $1 at 20 % have the tax of $100", () => {
  let returned: Returned = { amountMicros: 0n, taxMicros: 0n };
  for (let n = 0; n < 100; n++) {
    const amountMicros = 1_000_000n;
    const tax = taxOfNextRefund(returned, { amountMicros, direction: 1n }, { taxMillipercent: 20_000 }) ?? 0n;
    returned = { amountMicros: returned.amountMicros + amountMicros, taxMicros: returned.taxMicros + tax };
  }
  expect(returned.taxMicros).toBe(16_670_000n);
});

test("refunds after older receipts, whose parts were rounded each by itself, bring the sum right without a negative tax", () => {
  const before = { amountMicros: 99_000_000n, taxMicros: 16_830_000n };
  expect(taxOfNextRefund(before, { amountMicros: 1_000_000n, direction: 1n }, { taxMillipercent: 20_000 })).toBe(0n);
});
