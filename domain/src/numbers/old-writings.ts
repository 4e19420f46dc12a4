/** A country whose numbers got longer in a way that does not tell the new number from the old one. */
export interface Renumbering {
  readonly countryCode: string;
  readonly year: number;
  /** Digits of its numbers now, without the country code. */
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

/** Former writings, country code in front, and the writing that replaced them. */
const REPLACED: readonly (readonly [former: RegExp, today: string])[] = [
  // Mexico ended 1, 01, 044 and 045 in August 2019 (IFT).
  [/^52(?:1|01|044|045)(\d{10})$/, "52$1"],
  // Brazil's mobiles got a 9 until November 2016 (Anatel).
  [/^55([1-9]{2})([6-9]\d{7})$/, "55$19$2"],
  // Benin put 01 in front of every number on 30 November 2024 (ARCEP Bénin).
  [/^229([2-9]\d{7})$/, "22901$1"],
];

/** International digits in today's writing, or null when they are in no old one. */
export function inTodaysWriting(digits: string): string | null {
  for (const [former, today] of REPLACED) if (former.test(digits)) return digits.replace(former, today);
  return null;
}

/** Why international digits are no number any more; null otherwise. */
export function renumberingOf(digits: string): Renumbering | null {
  const plan = RENUMBERED.find(
    ({ dialCode, digitsBefore }) => digits.startsWith(dialCode) && digits.length === dialCode.length + digitsBefore,
  );
  return plan ?? null;
}
