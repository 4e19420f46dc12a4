import type { CountrySummary } from "@farline/contract/rates.ts";
import type { CountryLibrary } from "../../text/libraries.ts";
import { localCountryName } from "../../text/local-text.ts";

/** Country cards per page of the list; fills whole rows at every width. */
export const COUNTRIES_A_PAGE = 24;

export const codeOfSummary = ({ country_code: code }: CountrySummary): string => code;

/** The countries with their names in a language, in that language's sort order. */
export function localSummaries(countries: readonly CountrySummary[], language: string): readonly CountrySummary[] {
  if (language === "en") return countries;
  const { compare } = new Intl.Collator(language);
  return countries
    .map((one) => ({ ...one, country_name: localCountryName(language, one.country_code, one.country_name) }))
    .toSorted((a, b) => compare(a.country_name, b.country_name));
}

/** The countries that a text finds, by any of their names and codes, best match first; all for a blank text. */
export function searchCountries<C>(
  countries: readonly C[],
  { typed, language, codeOf }: { readonly typed: string; readonly language: string; readonly codeOf: (country: C) => string },
  { findCountries }: CountryLibrary,
): readonly C[] {
  if (typed.trim() === "") return countries;
  const byCode = new Map(countries.map((country) => [codeOf(country), country]));
  return findCountries(typed, { language }).flatMap((code) => byCode.get(code) ?? []);
}
