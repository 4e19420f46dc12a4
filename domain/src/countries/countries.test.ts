import { expect, test } from "vitest";
import { countries, countriesByDialCode, countryByCode } from "./countries.ts";
import { emergencyNumbersOf } from "../numbers/emergency-numbers.ts";

test("every selectable country has a name, a dial code and a currency", () => {
  expect(new Set(countries.map((country) => country.iso2)).size).toBe(countries.length);
  for (const country of countries.filter((one) => one.selectable)) {
    expect(country.iso2).toMatch(/^[A-Z]{2}$/);
    expect(country.name).not.toBe("");
    expect(country.dialCode).toMatch(/^[1-9]\d{0,2}$/);
    expect(country.currency).toMatch(/^[A-Z]{3}$/);
  }
});

test("countries that share a dial code are listed after the main one", () => {
  expect(countriesByDialCode("1")[0]?.iso2).toBe("US");
  expect(countriesByDialCode("44").map((country) => country.iso2)).toEqual(["GB", "GG", "IM", "JE"]);
  expect(countriesByDialCode("883")[0]?.iso2).toBe("XN");
  expect(countriesByDialCode("999")).toEqual([]);
  const shared = new Set(countries.flatMap((country) => country.dialCodes).filter((code, at, all) => all.indexOf(code) !== at));
  for (const code of shared)
    expect(["US", "RU", "IT", "GB", "NO", "AU", "NZ", "MA", "RE", "SH", "FI", "FK", "GP", "CW", "NF"]).toContain(
      countriesByDialCode(code)[0]?.iso2,
    );
});

test("countries without rates of their own use those of an existing country", () => {
  const lenders = countries.flatMap(({ ratesFrom }) => (ratesFrom === null ? [] : [ratesFrom]));
  expect(lenders.filter((iso2) => countryByCode(iso2) === undefined)).toEqual([]);
});

test("all but five countries have emergency numbers, the usual one first", () => {
  const without = countries.filter((country) => country.selectable && emergencyNumbersOf(country.iso2).length === 0);
  expect(without.map((country) => country.iso2)).toEqual(["GN", "GQ", "IO", "TA", "TK"]);
  expect([emergencyNumbersOf("US")[0], emergencyNumbersOf("GB")[0], emergencyNumbersOf("DE")[0]]).toEqual(["911", "999", "112"]);
});
