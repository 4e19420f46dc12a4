import { expect, test } from "vitest";
import { countryOfDigits } from "./country-of-digits.ts";

const offered = [
  { code: "CA", dialCode: "1" },
  { code: "GG", dialCode: "44" },
  { code: "GH", dialCode: "233" },
  { code: "GB", dialCode: "44" },
  { code: "US", dialCode: "1" },
];

test.each([
  ["", "GH", "GH"],
  ["0244", "GH", "GH"],
  ["0244", null, null],
  ["+", "GH", null],
  ["+4", "GH", null],
  ["+44", "GH", "GB"],
  [" +44 20", "GG", "GG"],
  ["+1 604", "GH", "US"],
  ["+1 604", "CA", "CA"],
  ["+233", null, "GH"],
  ["+999", "GH", null],
])("%j with %s chosen leads to %s", (typed, chosen, its) => {
  expect(countryOfDigits(typed, chosen, offered)).toBe(its);
});
