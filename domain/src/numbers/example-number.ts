import { getExampleNumber, parsePhoneNumberFromString, type CountryCode } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { findFormerPlan } from "./former-formats.ts";

/**
 * A country's example mobile number in national and international format; null if there is none.
 * @param iso2 ISO 3166-1 alpha-2 in upper case
 */
export function exampleNumber(iso2: string): { national: string; international: string } | null {
  if (!Object.hasOwn(examples, iso2)) return null;
  const listed = getExampleNumber(iso2 as CountryCode, examples);
  // Gabon's is from before 2019.
  const today = listed === undefined ? undefined : findFormerPlan(listed.number.slice(1), true)?.choices[0];
  const number = today === undefined ? listed : parsePhoneNumberFromString(today.e164);
  return number === undefined ? null : { national: number.formatNational(), international: number.formatInternational() };
}
