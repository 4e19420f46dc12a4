import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { fromMinorUnits } from "./cents.ts";

test.each([
  [3000n, "JPY", "3000"],
  [-3000n, "jpy", "-3000"],
  [1234n, "KWD", "1.234"],
  [-5n, "kwd", "-0.005"],
  [500000n, "eur", "5000.00"],
  [-1900n, "usd", "-19.00"],
  [7n, "USD", "0.07"],
  // The provider counts these in hundredths, although they no longer have a smaller unit.
  [500n, "isk", "5.00"],
  [500n, "ugx", "5.00"],
])("%s in %s is %s", (amount, currency, text) => {
  expect(fromMinorUnits(amount, currency)).toBe(text);
});

property.prop([fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.constantFrom("jpy", "usd", "kwd")])(
  "no digit is lost",
  (amount, currency) => {
    expect(BigInt(fromMinorUnits(amount, currency).replace(".", ""))).toBe(amount);
  },
);
