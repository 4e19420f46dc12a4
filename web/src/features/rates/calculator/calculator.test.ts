import { describe, expect, test } from "vitest";
import {
  calculate,
  emptyCalculator,
  estimatedCountry,
  rateInForce,
  type CalculatorState,
  type NumberRate,
} from "./calculator-state.ts";
import { matchesSearch, offeredCountries, searchNames } from "../find-countries.ts";

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

describe("the country search", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ code: `A${index}`, name: `Land ${index}` }));

  test("offers at most ten", () => {
    expect(offeredCountries(many, "land")).toHaveLength(10);
    expect(offeredCountries(many, "")).toHaveLength(10);
  });

  test("finds by name or code, ignoring case and accents", () => {
    expect(matchesSearch("INDI", ["India", "IN"])).toBe(true);
    expect(matchesSearch("gh", ["Ghana", "GH"])).toBe(true);
    expect(matchesSearch("cote d", ["Côte d’Ivoire", "CI"])).toBe(true);
    expect(matchesSearch("cote d'iv", ["Côte d’Ivoire", "CI"])).toBe(true);
    expect(matchesSearch("curacao", ["Curaçao", "CW"])).toBe(true);
    expect(matchesSearch("الإمارات", ["الامارات", "AE"])).toBe(true);
    expect(matchesSearch("zz", ["India", "IN"])).toBe(false);
  });

  test("finds a country by its name in the reader's language or in English", () => {
    const names = searchNames({ country_name: "Allemagne", country_code: "DE", slug: "germany" });
    for (const typed of ["allem", "german", "de"]) expect(matchesSearch(typed, names)).toBe(true);
    const british = searchNames({ country_name: "Reino Unido", country_code: "GB", slug: "united-kingdom" });
    expect(matchesSearch("united k", british)).toBe(true);
  });

  test("lists names that begin with the text first, then codes", () => {
    const list = [
      { code: "CN", name: "China" },
      { code: "IN", name: "India" },
      { code: "AT", name: "Austria" },
      { code: "AU", name: "Australia" },
    ];
    expect(offeredCountries(list, "in").map((one) => one.code)).toEqual(["IN", "CN"]);
    expect(offeredCountries(list, "at").map((one) => one.code)).toEqual(["AT"]);
    expect(offeredCountries([{ code: "ZZ", name: "Mauritania" }, ...list], "at").map((one) => one.code)).toEqual(["AT"]);
  });
});
