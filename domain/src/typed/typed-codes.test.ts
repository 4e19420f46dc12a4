import fc from "fast-check";
import { expect, test } from "vitest";
import { readDigitCode, readPromoCode, readSecondFactorCode } from "./typed-codes.ts";

const SIX = { min: 6, max: 6 };

test.each([
  ...["123456", " 123 456 ", "123-456", "123–456", "1 2 3 4 5 6", "12.34.56", "123\u00a0456", "123\u200b456"],
  ...["١٢٣٤٥٦", "۱۲۳ ۴۵۶", "१२३४५६", "１２３４５６", "১২৩৪৫৬", "๑๒๓๔๕๖", "\u2068123456\u2069"],
  ...[
    "Your code is 123456.",
    "Farline: 123 456 is your code, valid for 10 minutes",
    "123456 (123456)",
    "This code will work once: 123456",
    "رمزك هو ١٢٣٤٥٦",
  ],
])("“%s” is parsed as the code 123456", (typed) => {
  expect(readDigitCode(typed, SIX)).toBe("123456");
  expect(readSecondFactorCode(typed)).toBe("123456");
});

test.each(["", "12345", "1234567", "123456 or 654321", "abcdef", "12a34b56"])("“%s” is not a six-digit code", (typed) => {
  expect(readDigitCode(typed, SIX)).toBeNull();
});

test("a code in any script and grouping is parsed to its digits", () => {
  const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xe50, 0x1040, 0x17e0, 0xff10];
  fc.assert(
    fc.property(
      fc.stringMatching(/^\d{6}$/),
      fc.constantFrom(...zeros),
      fc.constantFrom("", " ", "-", "\u2009"),
      (code, zero, gap) => {
        const written = [...code].map((digit) => String.fromCodePoint(zero + Number(digit))).join(gap);
        expect(readDigitCode(written, SIX)).toBe(code);
      },
    ),
    { numRuns: 100 },
  );
});

test.each(["ABCD-EFGH-JKMN-PQRS", "abcd efgh jkmn pqrs", "ABCDEFGHJKMNPQRS", "ＡＢＣＤ-EFGH-JKMN-PQRS"])(
  "“%s” is a recovery code",
  (typed) => expect(readSecondFactorCode(typed)).toBe("ABCD-EFGH-JKMN-PQRS"),
);

test("a recovery code is found in a sentence", () => {
  expect(readSecondFactorCode("Recovery code: 7qk3–w0zd–jkmn–pqrs.")).toBe("7QK3-W0ZD-JKMN-PQRS");
});

test.each([
  ["welcome10", "WELCOME10"],
  [" Welcome 10 ", "WELCOME10"],
  ["WELCOME 10", "WELCOME10"],
  ["WELCOME१०", "WELCOME10"],
  ["ＷＥＬＣＯＭＥ１０", "WELCOME10"],
  ["welcome\u200b10", "WELCOME10"],
  ["SPRING–10", "SPRING-10"],
  ["Use the code WELCOME10 today!", "WELCOME10"],
  ["“SPRING-10”: ten per cent more", "SPRING-10"],
])("“%s” is the promo code %s", (typed, code) => {
  expect(readPromoCode(typed)).toBe(code);
});

test.each(["", "ab", "a'; drop", "-ABC", "A".repeat(21), "ÄÖÜ10"])("“%s” is not a promo code", (typed) => {
  expect(readPromoCode(typed)).toBeNull();
});
