import { countries } from "@farline/domain/countries/countries.ts";
import { countryName } from "../../text/country-name.ts";

/** Countries that can be called, named and sorted in the reader's language. @param language BCP 47 */
export function countryOptions(language: string): { iso2: string; name: string; dialCode: string }[] {
  const collator = new Intl.Collator(language);
  return countries
    .filter((country) => country.selectable)
    .map(({ iso2, name, dialCode }) => ({ iso2, dialCode, name: countryName(iso2, name) }))
    .toSorted((a, b) => collator.compare(a.name, b.name));
}
