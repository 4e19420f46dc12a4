import { getExampleNumber, type CountryCode } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

/**
 * How a mobile number of a country looks, from the numbering plans' own examples: as its people write it at home, and in
 * full. Null where the plans have none.
 * @param iso2 ISO 3166-1 alpha-2 in capitals
 */
export function exampleNumber(iso2: string): { national: string; international: string } | null {
  if (!Object.hasOwn(examples, iso2)) return null;
  const number = getExampleNumber(iso2 as CountryCode, examples);
  return number === undefined ? null : { national: number.formatNational(), international: number.formatInternational() };
}
