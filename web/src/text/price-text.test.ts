import { describe, expect, test } from "vitest";
import { minutesForOneDollar, priceText } from "./price-text.ts";

const english = priceText("en");

describe("prices on public pages", () => {
  test("a rate has four decimals", () => {
    expect(english.rate("0.021")).toBe("$0.0210");
    expect(english.rate("1.4")).toBe("$1.4000");
  });

  test("a dollar buys whole minutes, rounded down; null below one minute and for a free rate", () => {
    expect(minutesForOneDollar("0.0210")).toBe(47);
    expect(minutesForOneDollar("1")).toBe(1);
    expect(minutesForOneDollar("2.5")).toBeNull();
    expect(minutesForOneDollar("0")).toBeNull();
  });

  test.each([
    ["0.0210", 10, "$0.21"],
    ["0.0210", 120, "$2.52"],
    ["0.0121", 10, "$0.12"],
    ["0.0125", 10, "$0.13"],
    ["0.0042", 1, "$0.01"],
    ["0", 60, "$0.00"],
    ["5.2", 120, "$624.00"],
  ])("%s for %i minutes is estimated at %s", (rate, minutes, text) => expect(english.estimate(rate, minutes)).toBe(text));

  test.each([
    ["es", "$0.0210"],
    ["fr", "0,0210\u00a0$"],
    ["hi", "$0.0210"],
    ["ar", "\u2067\u200f0.0210\u00a0\u2066US$\u2069\u2069"],
  ])("%s writes them its own way, in Latin digits", (language, text) => expect(priceText(language).rate("0.021")).toBe(text));
});
