import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDollars, fromDecimalString, parseDollars, rateToDecimalString, toDecimalString } from "./money.ts";

const micros = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

test("a decimal string is read back as the same amount", () => {
  fc.assert(
    fc.property(micros, (amount) => {
      expect(fromDecimalString(toDecimalString(amount))).toBe(amount);
      expect(fromDecimalString(rateToDecimalString(amount))).toBe(amount);
      expect(fromDecimalString(formatDollars(amount, 6))).toBe(amount);
    }),
  );
});

test("a displayed amount is truncated towards zero", () => {
  fc.assert(
    fc.property(micros, fc.constantFrom(2 as const, 4 as const), (amount, decimals) => {
      const shown = fromDecimalString(formatDollars(amount, decimals));
      const size = amount < 0n ? -amount : amount;
      const shownSize = shown < 0n ? -shown : shown;
      expect(shownSize).toBeLessThanOrEqual(size);
      expect(size - shownSize).toBeLessThan(10n ** BigInt(6 - decimals));
    }),
  );
});

test.each([
  [24_600_000n, "24.60"],
  [596_400n, "0.5964"],
  [-1n, "-0.000001"],
  [0n, "0.00"],
  [-1_234_567_890n, "-1234.56789"],
])("%s micro-dollars are formatted as %s", (amount, text) => {
  expect(toDecimalString(amount)).toBe(text);
});

test("prices per minute have at least four decimals", () => {
  expect(rateToDecimalString(21_000n)).toBe("0.0210");
  expect(rateToDecimalString(4_567n)).toBe("0.004567");
});

test("a displayed amount has the requested decimals", () => {
  expect(formatDollars(24_609_999n)).toBe("24.60");
  expect(formatDollars(-24_609_999n)).toBe("-24.60");
  expect(formatDollars(-4_000n)).toBe("0.00");
  expect(formatDollars(123_450n, 4)).toBe("0.1234");
  expect(formatDollars(5_000_000n, 6)).toBe("5.000000");
});

describe("a typed amount", () => {
  test.each([
    ["5", 5_000_000n],
    [" 5.5 ", 5_500_000n],
    ["5.55", 5_550_000n],
    [19.99, 19_990_000n],
    [0.1, 100_000n],
    ["0", 0n],
  ])("such as %s is parsed", (input, amount) => {
    expect(parseDollars(input)).toBe(amount);
  });

  test.each([
    "",
    "5.",
    ".5",
    "5.555",
    "-5",
    "+5",
    "1e3",
    "1,000",
    "5,50",
    "NaN",
    "Infinity",
    "0x10",
    "٥",
    "1234567890123",
    Number.NaN,
    -1,
    1e21,
    1e-7,
    5.555,
    Infinity,
  ])("such as %s is rejected", (input) => {
    expect(parseDollars(input)).toBeNull();
  });

  test("of whole cents is parsed exactly, as a number and as text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000 }), (cents) => {
        expect(parseDollars(cents / 100)).toBe(BigInt(cents) * 10_000n);
        expect(parseDollars((cents / 100).toFixed(2))).toBe(BigInt(cents) * 10_000n);
      }),
    );
  });
});

test.each(["", "1.", ".1", "1.1234567", "--1", "1e3", "12345678901234"])("%s is not a decimal string", (text) => {
  expect(() => fromDecimalString(text)).toThrow(RangeError);
});

test("any text parsed as an amount has only digits and at most two decimals, and exactly that value", () => {
  const likeAmounts = fc.stringMatching(/^[-+ ]?[0-9٥５]{0,4}[.,e x_]?[0-9]{0,4}$/);
  fc.assert(
    fc.property(fc.oneof(likeAmounts, fc.string(), fc.double()), (input) => {
      const amount = parseDollars(input);
      if (amount === null) return;
      expect(String(input).trim()).toMatch(/^\d{1,12}(\.\d{1,2})?$/);
      expect(fromDecimalString(Number(input).toFixed(2))).toBe(amount);
    }),
  );
});

test("minus zero is rejected as an amount", () => expect(parseDollars(-0)).toBeNull());
