import { countriesByDialCode } from "../countries/countries.ts";
import { EMERGENCY_NUMBERS } from "../data/emergency-rows.ts";

/** People dial these in an emergency in any country. */
const KNOWN_EVERYWHERE: readonly string[] = ["112", "911", "999", "000", "110", "119", "118"];
const MAX_DIAL_CODE_DIGITS = 3;

/** A country's emergency numbers, the recommended one first; empty if none are known. */
export function emergencyNumbersOf(iso2: string): readonly string[] {
  return EMERGENCY_NUMBERS[iso2]?.split(" ") ?? [];
}

/**
 * Whether the typed digits are an emergency number: a widely known one, or one of the given countries.
 * @param digits only digits, without an international prefix
 * @param countryCodes the caller's own country, then the one chosen for the call
 * @returns the number to dial on a telephone instead, or null
 */
export function emergencyNumberTyped(digits: string, countryCodes: readonly string[]): string | null {
  const theirs = countryCodes.flatMap(emergencyNumbersOf);
  if (theirs.includes(digits)) return digits;
  if (!KNOWN_EVERYWHERE.includes(digits)) return null;
  return theirs[0] ?? digits;
}

/**
 * Whether an international number is only a dial code and an emergency number, like +1911, which results from prefixing a country
 * code blindly. Longer numbers that start like this are ordinary.
 * @returns the emergency number, or null
 */
export function emergencyNumberAfterDialCode(internationalDigits: string): string | null {
  for (let length = 1; length <= MAX_DIAL_CODE_DIGITS; length++) {
    const rest = internationalDigits.slice(length);
    const sharing = countriesByDialCode(internationalDigits.slice(0, length));
    if (sharing.some((country) => emergencyNumbersOf(country.iso2).includes(rest))) return rest;
  }
  return null;
}
