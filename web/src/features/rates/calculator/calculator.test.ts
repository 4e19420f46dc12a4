import { describe, expect, test } from "vitest";
import { calculate, emptyCalculator, rateInForce, type CalculatorState, type NumberRate } from "./calculator-state.ts";
import { matchesSearch, offeredCountries, searchNames } from "../find-countries.ts";

const india = { code: "IN", name: "India", usualRate: "0.0210" };
const ghana = { code: "GH", name: "Ghana", usualRate: "0.3100" };
const countries = [ghana, india];
const mtn: NumberRate = {
  ratePerMinute: "0.3200",
  countryCode: "GH",
  countryName: "Ghana",
  description: "Ghana Mobile MTN",
  firstIntervalSeconds: 1,
  nextIntervalSeconds: 1,
  exact: true,
};
const found = (state: CalculatorState, number: string, rate = mtn) =>
  calculate(state, { type: "found", number, rate, countries });

describe("the calculator", () => {
  test("a selected country sets the average and discards the rate of a number", () => {
    const typed = found(calculate(emptyCalculator, { type: "number", text: "+233244" }), "+233244");
    const chosen = calculate(typed, { type: "choose", country: india });
    expect([rateInForce(chosen), chosen.search]).toEqual(["0.0210", "India"]);
  });

  test("clearing the search text clears the selection, typing more does not", () => {
    const chosen = calculate(emptyCalculator, { type: "choose", country: india });
    expect(calculate(chosen, { type: "search", text: "Indi" }).country).toBe(india);
    const cleared = calculate(chosen, { type: "search", text: "" });
    expect([cleared.country, rateInForce(cleared)]).toEqual([null, null]);
  });

  test("a number's rate overrides the average, and selects its country only if none is selected", () => {
    const first = found(calculate(emptyCalculator, { type: "number", text: "0244" }), "0244");
    expect([rateInForce(first), first.country, first.search]).toEqual(["0.3200", ghana, "Ghana"]);
    const chosen = calculate(calculate(emptyCalculator, { type: "choose", country: india }), { type: "number", text: "+233244" });
    expect([rateInForce(found(chosen, "+233244")), found(chosen, "+233244").country]).toEqual(["0.3200", india]);
  });

  test("an answer for a number that has since changed is ignored, and a changed number has no rate yet", () => {
    const typed = calculate(emptyCalculator, { type: "number", text: "+2332445" });
    expect(found(typed, "+233244")).toBe(typed);
    expect(calculate(found(typed, "+2332445"), { type: "number", text: "+23" }).numberRate).toBeNull();
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
