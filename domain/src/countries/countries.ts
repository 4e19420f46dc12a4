import { COUNTRY_ROWS } from "../data/country-rows.ts";
import { MAIN_OF_SHARED } from "./country-of-digits.ts";

export interface Country {
  /** ISO 3166-1 alpha-2 (and XK, AC, TA), or one of our X codes for numbers without a country. */
  readonly iso2: string;
  readonly name: string;
  /** Digits after the plus, for example "44"; "1" for the whole North American plan. */
  readonly dialCode: string;
  /** Only international networks have several. */
  readonly dialCodes: readonly string[];
  /** ISO 4217. */
  readonly currency: string;
  /** Whether a caller may choose it; the others have no numbering plan or are not countries. */
  readonly selectable: boolean;
  /** The country whose rates apply if this one has none, or null. */
  readonly ratesFrom: string | null;
}

/** All countries and territories by ISO code, our X codes last. */
export const countries: readonly Country[] = COUNTRY_ROWS.map(([iso2, name, codes, currency, selectable, ratesFrom]) => {
  const dialCodes = codes.split(";");
  return {
    iso2,
    name,
    dialCode: dialCodes[0] ?? "",
    dialCodes,
    currency,
    selectable: selectable === 1,
    ratesFrom: ratesFrom === "" ? null : ratesFrom,
  };
});

const byCode = new Map(countries.map((country) => [country.iso2, country]));

/** @param iso2 in upper case */
export function countryByCode(iso2: string): Country | undefined {
  return byCode.get(iso2);
}

/** A country's English name, or the code itself if no country has it. */
export function englishNameOf(iso2: string): string {
  return byCode.get(iso2)?.name ?? iso2;
}

const byDialCode = new Map<string, Country[]>();
for (const country of countries)
  for (const code of country.dialCodes) byDialCode.set(code, [...(byDialCode.get(code) ?? []), country]);

/** The countries with this calling code (without the plus), the main one first. */
export function countriesByDialCode(dialCode: string): readonly Country[] {
  const sharing = byDialCode.get(dialCode) ?? [];
  const main = sharing.find((country) => country.iso2 === MAIN_OF_SHARED[dialCode]);
  return main === undefined ? sharing : [main, ...sharing.filter((country) => country !== main)];
}
