/** A country whose numbers became longer in a way from which the new number cannot be derived. */
export interface Renumbering {
  readonly countryCode: string;
  readonly year: number;
  /** The current number of digits, without the country code. */
  readonly digits: number;
}

interface RenumberedPlan extends Renumbering {
  readonly dialCode: string;
  readonly digitsBefore: number;
}

const RENUMBERED: readonly RenumberedPlan[] = [
  // The two new digits depend on the operator (ARTCI, 31 January 2021).
  { countryCode: "CI", dialCode: "225", digitsBefore: 8, digits: 10, year: 2021 },
];

/** Former formats with country code, and the formats that replaced them. */
const REPLACED: readonly (readonly [former: RegExp, today: string])[] = [
  // Mexico dropped the prefixes 1, 01, 044 and 045 in August 2019 (IFT).
  [/^52(?:1|01|044|045)(\d{10})$/, "52$1"],
  // By November 2016 all mobile numbers in Brazil had an additional 9 (Anatel).
  [/^55([1-9]{2})([6-9]\d{7})$/, "55$19$2"],
  // Benin added 01 in front of every number on 30 November 2024 (ARCEP Bénin).
  [/^229([2-9]\d{7})$/, "22901$1"],
];

/** Converts international digits from a former format; null if they are not in one. */
export function toCurrentFormat(digits: string): string | null {
  for (const [former, today] of REPLACED) if (former.test(digits)) return digits.replace(former, today);
  return null;
}

/** The renumbering that made international digits obsolete; null if there is none. */
export function renumberingOf(digits: string): Renumbering | null {
  const plan = RENUMBERED.find(
    ({ dialCode, digitsBefore }) => digits.startsWith(dialCode) && digits.length === dialCode.length + digitsBefore,
  );
  return plan ?? null;
}
