import { COUNTRY_ROWS } from "../data/country-rows.ts";

export interface Country {
  /** ISO 3166-1 alpha-2 (and XK, AC, TA), or one of our X codes for numbers that belong to no country. */
  readonly iso2: string;
  readonly name: string;
  /** What follows the plus, for example "44". "1" for all of the North American plan. */
  readonly dialCode: string;
  /** All calling codes; more than one only for international networks. */
  readonly dialCodes: readonly string[];
  /** ISO 4217. */
  readonly currency: string;
  /** Whether a caller may choose it; the others have no numbering of their own or no country. */
  readonly selectable: boolean;
  /** The country whose rates stand in where this one has none, or null. */
  readonly ratesFrom: string | null;
}

/** All countries and territories, sorted by their ISO code; our X codes come last. */
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

/** The country of an ISO code in capitals, or undefined. */
export function countryByCode(iso2: string): Country | undefined {
  return byCode.get(iso2);
}

/** The default among countries that share a calling code, for numbers whose range does not tell. */
const MAIN_OF_SHARED: Readonly<Record<string, string>> = {
  "1": "US",
  "7": "RU",
  "39": "IT",
  "44": "GB",
  "47": "NO",
  "61": "AU",
  "64": "NZ",
  "212": "MA",
  "262": "RE",
  "290": "SH",
  "358": "FI",
  "500": "FK",
  "590": "GP",
  "599": "CW",
  "672": "NF",
};

const byDialCode = new Map<string, Country[]>();
for (const country of countries)
  for (const code of country.dialCodes) byDialCode.set(code, [...(byDialCode.get(code) ?? []), country]);

/** Every country with this calling code (digits without the plus), the main one first. */
export function countriesByDialCode(dialCode: string): readonly Country[] {
  const sharing = byDialCode.get(dialCode) ?? [];
  const main = sharing.find((country) => country.iso2 === MAIN_OF_SHARED[dialCode]);
  return main === undefined ? sharing : [main, ...sharing.filter((country) => country !== main)];
}
