import { getExampleNumber, type CountryCode } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

/**
 * A country's example mobile number in national and international format; null if there is none.
 * @param iso2 ISO 3166-1 alpha-2 in upper case
 */
export function exampleNumber(iso2: string): { national: string; international: string } | null {
  if (!Object.hasOwn(examples, iso2)) return null;
  const number = getExampleNumber(iso2 as CountryCode, examples);
  return number === undefined ? null : { national: number.formatNational(), international: number.formatInternational() };
}
