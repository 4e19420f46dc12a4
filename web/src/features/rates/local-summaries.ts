import type { CountrySummary } from "@farline/contract/rates.ts";
import { localCountryName } from "../../text/local-country-name.ts";

/** The countries with their names in a language, in that language's sort order. */
export function localSummaries(countries: readonly CountrySummary[], language: string): readonly CountrySummary[] {
  if (language === "en") return countries;
  const { compare } = new Intl.Collator(language);
  return countries
    .map((one) => ({ ...one, country_name: localCountryName(language, one.country_code, one.country_name) }))
    .toSorted((a, b) => compare(a.country_name, b.country_name));
}
