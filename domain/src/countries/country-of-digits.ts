import { MAIN_OF_SHARED } from "./countries.ts";

/** A country that a page offers. */
interface OfferedCountry {
  /** ISO code. */
  readonly code: string;
  /** Digits after the plus. */
  readonly dialCode: string;
}

/**
 * The country that a number leads to, as far as it is typed, on pages without the numbering plans: the one with its calling
 * code, or `chosen` for a number without a plus. Null while no offered country has the code.
 */
export function countryOfDigits(typed: string, chosen: string | null, offered: readonly OfferedCountry[]): string | null {
  if (!typed.trimStart().startsWith("+")) return chosen;
  const digits = typed.replace(/\D/g, "");
  const sharing = offered.filter(({ dialCode }) => digits.startsWith(dialCode));
  const found =
    sharing.find(({ code }) => code === chosen) ??
    sharing.find(({ code, dialCode }) => code === MAIN_OF_SHARED[dialCode]) ??
    sharing[0];
  return found?.code ?? null;
}
