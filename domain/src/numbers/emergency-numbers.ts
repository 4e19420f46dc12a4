import { countriesByDialCode } from "../countries/countries.ts";
import { EMERGENCY_NUMBERS } from "../data/emergency-rows.ts";

/** People dial these in an emergency anywhere. */
const KNOWN_EVERYWHERE: readonly string[] = ["112", "911", "999", "000", "110", "119", "118"];
const LONGEST_DIAL_CODE = 3;

/** A country's own emergency numbers, the one to advise first; empty when it has none we know. */
export function emergencyNumbersOf(iso2: string): readonly string[] {
  return EMERGENCY_NUMBERS[iso2]?.split(" ") ?? [];
}

/**
 * Whether the typed digits are an emergency number: a widely known one, or one of the given countries.
 * @param digits what was typed, digits alone, without any international prefix
 * @param countryCodes the caller's own country and the one chosen for the call, the own one first
 * @returns the number to dial on a telephone instead, or null
 */
export function emergencyNumberTyped(digits: string, countryCodes: readonly string[]): string | null {
  const theirs = countryCodes.flatMap(emergencyNumbersOf);
  if (theirs.includes(digits)) return digits;
  if (!KNOWN_EVERYWHERE.includes(digits)) return null;
  return theirs[0] ?? digits;
}

/**
 * Whether an international number is just a dial code and an emergency number, like +1911: the result
 * of prefixing a country code blindly. Longer numbers that start like this are real.
 * @returns the emergency number, or null
 */
export function emergencyNumberBehindDialCode(internationalDigits: string): string | null {
  for (let length = 1; length <= LONGEST_DIAL_CODE; length++) {
    const rest = internationalDigits.slice(length);
    const sharing = countriesByDialCode(internationalDigits.slice(0, length));
    if (sharing.some((country) => emergencyNumbersOf(country.iso2).includes(rest))) return rest;
  }
  return null;
}
