import { describe, expect, test } from "vitest";
import {
  calculate,
  emptyCalculator,
  estimatedCountry,
  rateInForce,
  type CalculatorState,
  type NumberRate,
} from "./calculator-state.ts";
import * as countryLibrary from "@farline/domain/countries/find-countries.ts";
import { searchCountries } from "../find-countries.ts";

const india = { code: "IN", name: "India", dialCode: "91", usualRate: "0.0210" };
const ghana = { code: "GH", name: "Ghana", dialCode: "233", usualRate: "0.3100" };
const america = { code: "US", name: "United States", dialCode: "1", usualRate: "0.0100" };
const bahamas = { code: "BS", name: "Bahamas", dialCode: "1", usualRate: "0.3250" };
const countries = [bahamas, ghana, india, america];
const mtn: NumberRate = {
  ratePerMinute: "0.3200",
  countryCode: "GH",
  countryName: "Ghana",
  description: "Ghana Mobile MTN",
  numberType: "mobile",
  firstIntervalSeconds: 1,
  nextIntervalSeconds: 1,
  exact: true,
};
const found = (state: CalculatorState, number: string, rate = mtn) =>
  calculate(state, { type: "found", number, rate, countries });

const typed = (text: string, state: CalculatorState = emptyCalculator) => calculate(state, { type: "number", text, countries });
const chosen = (country: typeof india, state: CalculatorState = emptyCalculator) => calculate(state, { type: "choose", country });

describe("the calculator", () => {
  test("a selected country sets the average and discards the rate of a number", () => {
    const state = chosen(india, found(typed("0244"), "0244"));
    expect([rateInForce(state), state.search, state.number]).toEqual(["0.0210", "India", "0244"]);
  });

  test("a selected country discards a number with the code of another", () => {
    const state = chosen(india, found(typed("+233244"), "+233244"));
    expect([rateInForce(state), state.search, state.number]).toEqual(["0.0210", "India", ""]);
  });

  test("clearing the search text clears the selection, typing more does not", () => {
    const state = chosen(india);
    expect(calculate(state, { type: "search", text: "Indi" }).country).toBe(india);
    const cleared = calculate(state, { type: "search", text: "" });
    expect([cleared.country, rateInForce(cleared)]).toEqual([null, null]);
  });

  test("a number's rate overrides the average, and selects its country if none is selected", () => {
    const state = found(typed("0244"), "0244");
    expect([rateInForce(state), state.country, state.search]).toEqual(["0.3200", ghana, "Ghana"]);
  });

  test("a number with a country code selects its country from the code on, with its average", () => {
    const state = typed("+233", chosen(india));
    expect([rateInForce(state), state.country, state.search]).toEqual(["0.3100", ghana, "Ghana"]);
  });

  test.each(["+2", "+999"])("%s has no rate, because no country has the code", (text) => {
    const state = typed(text, chosen(india));
    expect([rateInForce(state), estimatedCountry(state), state.search]).toEqual([null, null, "India"]);
  });

  test("a number of a country with the same code selects it", () => {
    const state = found(typed("2425550123", chosen(america)), "2425550123", { ...mtn, countryCode: "BS" });
    expect(state.search).toBe("Bahamas");
  });

  test("a number behind an exit code keeps the country that has the exit code", () => {
    const state = found(typed("011233244", chosen(america)), "011233244");
    expect([rateInForce(state), state.search]).toEqual(["0.3200", "United States"]);
  });

  test("an answer for a number that has since changed is ignored, and a changed number has no rate yet", () => {
    const state = typed("+2332445");
    expect(found(state, "+233244")).toBe(state);
    expect(typed("+23", found(state, "+2332445")).numberRate).toBeNull();
  });

  test("the duration stays between 1 and 120 minutes and starts at 10", () => {
    const minutes = (value: number) => calculate(emptyCalculator, { type: "minutes", minutes: value }).minutes;
    expect([emptyCalculator.minutes, minutes(0), minutes(121), minutes(Number.NaN), minutes(60)]).toEqual([10, 1, 120, 1, 60]);
  });
});

test("the country search keeps the countries that are sold, best match first, and all for a blank text", () => {
  const list = ["Austria AT", "China CN", "India IN", "Indonesia ID", "Ukraine UA", "United Kingdom GB"].map((one) => ({
    name: one.slice(0, -3),
    code: one.slice(-2),
  }));
  const found = (typed: string) =>
    searchCountries(list, { typed, language: "en", codeOf: ({ code }) => code }, countryLibrary).map(({ code }) => code);
  expect(found(" ")).toHaveLength(list.length);
  for (const [typed, codes] of [
    ["in", ["IN", "ID"]],
    ["uk", ["GB", "UA"]],
    ["+44", ["GB"]],
    ["Inde", ["IN", "ID"]],
    ["Österreich", ["AT"]],
    ["Peking", ["CN"]],
    ["ghana", []],
  ] as const)
    expect([typed, found(typed)]).toEqual([typed, codes]);
});
