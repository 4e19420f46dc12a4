import type { CountrySummary } from "@farline/contract/rates.ts";
import { foldText } from "@farline/domain/contacts/fold-text.ts";
import { localCountryName } from "../../text/local-text.ts";

/** Country cards per page of the list; fills whole rows at every width. */
export const COUNTRIES_A_PAGE = 24;

/** The countries with their names in a language, in that language's sort order. */
export function localSummaries(countries: readonly CountrySummary[], language: string): readonly CountrySummary[] {
  if (language === "en") return countries;
  const { compare } = new Intl.Collator(language);
  return countries
    .map((one) => ({ ...one, country_name: localCountryName(language, one.country_code, one.country_name) }))
    .toSorted((a, b) => compare(a.country_name, b.country_name));
}

/** Search terms of a country: its name in the reader's language and in English, and its code. */
export function searchNames(country: Pick<CountrySummary, "country_name" | "country_code" | "slug">): readonly string[] {
  const { country_name: name, country_code: code } = country;
  const english = country.slug.replaceAll("-", " ");
  return foldText(name) === english ? [name, code] : [name, english, code];
}

/** Whether the typed text is part of one of the country's names. An empty text matches every country. */
export function matchesSearch(typed: string, names: readonly string[]): boolean {
  const term = foldText(typed);
  return names.some((name) => foldText(name).includes(term));
}

const MAX_MATCHES = 10;

/** The countries that match the typed text, best match first, at most ten. */
export function offeredCountries<C extends { readonly name: string; readonly code: string }>(
  countries: readonly C[],
  typed: string,
): readonly C[] {
  const term = foldText(typed);
  const matchRank = ({ name, code }: C) => (foldText(name).startsWith(term) ? 0 : code.toLowerCase() === term ? 1 : 2);
  return countries
    .filter(({ name, code }) => matchesSearch(term, [name, code]))
    .toSorted((a, b) => matchRank(a) - matchRank(b))
    .slice(0, MAX_MATCHES);
}
