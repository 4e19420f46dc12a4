import { expect, test } from "vitest";
import { plainDigits } from "./ascii-digits.ts";

/** Writes 0 to 9 in the digits of a numbering system. */
function digitsOf(numberingSystem: string): string {
  const format = new Intl.NumberFormat("en", { numberingSystem });
  return Array.from({ length: 10 }, (_, digit) => format.format(digit)).join("");
}

/** Those that write digits one by one, unlike Roman numerals. */
const systems = Intl.supportedValuesOf("numberingSystem").filter((system) => /^\p{Nd}{10}$/u.test(digitsOf(system)));

test.each(systems)("the digits of %s are 0 to 9", (system) => {
  expect(plainDigits(digitsOf(system))).toBe("0123456789");
});

test("the digits of styled letters, which adjoin each other, are among them", () => {
  expect(systems).toEqual(expect.arrayContaining(["arab", "deva", "mathbold", "mathdbl", "mathmono", "mathsanb", "mathsans"]));
});
