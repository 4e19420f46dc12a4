/** The default among countries that share a calling code, for numbers whose range belongs to none of them. Here, because pages that need it do not load the countries. */
export const MAIN_OF_SHARED: Readonly<Record<string, string>> = {
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
