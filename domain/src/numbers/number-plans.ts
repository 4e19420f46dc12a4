import {
  AsYouType,
  isSupportedCountry,
  parsePhoneNumberFromString,
  Metadata,
  type CountryCode,
  type PhoneNumber,
} from "libphonenumber-js/max";
import { countriesByDialCode, countryByCode } from "../countries/countries.ts";
import { emergencyNumberAfterDialCode, emergencyNumberTyped } from "./emergency-numbers.ts";
import { MAX_NUMBER_TEXT_LENGTH, readNumberText } from "./number-text.ts";

/** A number that a text may mean. */
export interface NumberChoice {
  readonly e164: string;
  readonly countryCode: string;
}

/** Why a text is no number. */
type PlainProblem =
  /** Nothing typed. */
  | "empty"
  /** Works only inside its country. */
  | "short_code"
  /** A service code such as *67 or #31#. */
  | "star_code"
  /** Without a country code, and no country is chosen. The caller is asked; the country is never guessed. */
  | "country_required"
  /** Too short or too long. */
  | "impossible"
  /** Not a phone number: contains letters or too much text. */
  | "invalid";

/** A text as today's numbering plans read it. */
export type ReadNumber =
  | {
      ok: true;
      /** With the plus; used to dial, rate and store. */
      e164: string;
      /** ISO code, or one of our X codes. */
      countryCode: string;
      /** As in a deck (`mobile`, `landline`, …), or `unknown`. The deck's own type takes precedence. */
      type: string;
      /** False if the length is right but the range is not known to be in use; the caller should check the number. */
      valid: boolean;
    }
  | { ok: false; problem: PlainProblem }
  /** Never dialled by us: the caller is asked to use a phone. */
  | { ok: false; problem: "emergency"; emergencyNumber: string }
  /** Several numbers may be meant, the more likely first. Nothing is dialled, priced or stored until the caller chooses. */
  | { ok: false; problem: "ambiguous"; choices: readonly NumberChoice[] }
  /** No country has the calling code. */
  | { ok: false; problem: "unknown_code"; dialCode: string };

const MAX_SHORT_CODE_DIGITS = 6;
const MAX_DIAL_CODE_DIGITS = 3;
/** "+44 (0) 20 …": a zero that is dialled only within the country. */
const BRACKETED_ZERO = /[([]\s*0\s*[)\]]/;
/** A bracketed area code marks a national number. */
const BRACKETED_AREA = /\(\s*\d{2,}\s*\)/;

/** Types that decks name otherwise than libphonenumber. */
const NAMES_IN_DECKS: Readonly<Record<string, string>> = {
  FIXED_LINE: "landline",
  FIXED_LINE_OR_MOBILE: "fixed_or_mobile",
  PREMIUM_RATE: "premium",
  PERSONAL_NUMBER: "personal",
};

/**
 * Reads a text with one number by today's numbering plans. `normalizeNumber` also knows what else people write; the dialer begins with
 * this.
 *
 * Digits without a plus that are valid both as a national and as an international number are `ambiguous`, unless their grouping decides:
 * "(646) 234-5678" is American, "64 6 234 5678" is not (docs/decisions/011-numbers-and-contacts.md).
 * @param typed may contain labels, links, separators, digits of any script, an exit code and an extension
 * @param selectedCountry ISO code of the chosen country; null if none is chosen
 * @param homeCountry ISO code of the caller's own country, for its emergency numbers
 */
export function readNumber(typed: string, selectedCountry: string | null, homeCountry: string | null = null): ReadNumber {
  if (typed.length > MAX_NUMBER_TEXT_LENGTH) return { ok: false, problem: "invalid" };
  const { number: text } = readNumberText(typed);
  const digits = text.replace(/\D/g, "");
  const international = isInternational(text);
  if (!international) {
    const codes = [homeCountry, selectedCountry].filter((code) => code !== null);
    const emergencyNumber = emergencyNumberTyped(digits, codes);
    if (emergencyNumber !== null) return { ok: false, problem: "emergency", emergencyNumber };
  }
  if (/[*#]/.test(text)) return { ok: false, problem: "star_code" };
  if (/[\p{L}\p{N}]/u.test(text.replace(/[0-9]/g, "")) || /[|,;&]|\d.*\+|\+.*\+/s.test(text))
    return { ok: false, problem: "invalid" };
  if (digits === "") return { ok: false, problem: "empty" };
  if (international) return parseInternational(digits, text);
  const behindCode = withoutInternationalPrefix(digits, selectedCountry);
  const national = selectedCountry === null ? null : parseNational(digits, selectedCountry);
  if (behindCode !== null) {
    const abroad = parseInternational(behindCode, text);
    if (isUsable(national) && isUsable(abroad)) return resolve(text, national, abroad);
    // Some carrier selection codes in China look like the start of a number, for example 12843.
    if (isUsable(abroad) || digits.startsWith("0")) return abroad;
  }
  if (national === null) return { ok: false, problem: "country_required" };
  const abroad = parseInternational(stripDoubleZero(digits) ?? digits, text);
  if (digits.startsWith("0") && !digits.startsWith("00")) return national;
  if (!isUsable(abroad)) return national;
  if (isUsable(national)) return resolve(text, national, abroad);
  // All North American numbers have ten digits, so an unknown range may be a new one.
  if (national.ok) return national.e164.startsWith("+1") ? ambiguous(abroad, national) : ambiguous(abroad);
  return national.problem === "impossible" ? ambiguous(abroad) : national;
}

type FoundNumber = Extract<ReadNumber, { ok: true }>;

export function isUsable(number: ReadNumber | null): number is FoundNumber & { valid: true } {
  return number?.ok === true && number.valid;
}

/** The number that is meant, if both are the same or the formatting decides; else `ambiguous`. */
export function resolve(text: string, national: FoundNumber, abroad: FoundNumber): ReadNumber {
  if (national.e164 === abroad.e164 || BRACKETED_AREA.test(text)) return national;
  const groups = ` ${text.match(/\d+/g)?.join(" ")}`;
  // After a prefix, such as the former 1 of Mexican mobiles, the groups are the same.
  const isNational = groups.endsWith(` ${groupsOf(parsePhoneNumberFromString(national.e164)?.formatNational() ?? "")}`);
  const isAbroad = groups === ` ${groupsOf(formatInternational(abroad.e164))}`;
  if (isNational !== isAbroad) return isNational ? national : abroad;
  // A landline is less likely if its country writes national numbers with a leading zero.
  return isWrittenWithZero(national.e164) && national.type !== "mobile"
    ? ambiguous(abroad, national)
    : ambiguous(national, abroad);
}

/** The digits of a text with a space between groups; "ungrouped" for a single group. */
function groupsOf(text: string): string {
  const groups = text.match(/\d+/g) ?? [];
  return groups.length > 1 ? groups.join(" ") : "ungrouped";
}

export function ambiguous(...numbers: readonly NumberChoice[]): ReadNumber {
  return { ok: false, problem: "ambiguous", choices: numbers.map(({ e164, countryCode }) => ({ e164, countryCode })) };
}

function isWrittenWithZero(e164: string): boolean {
  return parsePhoneNumberFromString(e164)?.formatNational().replace(/\D/g, "").startsWith("0") ?? false;
}

export function isInternational(text: string): boolean {
  return /^[^\d]*\+/.test(text);
}

/**
 * Normalises the start of a number while it is being typed, for price look-ups.
 * @returns plus and digits, or null if not even the country code is known
 */
export function normalizePartialNumber(typed: string, selectedCountry: string | null): string | null {
  const { number: text } = readNumberText(typed);
  const digits = text.replace(/\D/g, "");
  const behindPrefix = isInternational(text) ? digits : withoutInternationalPrefix(digits, selectedCountry);
  if (behindPrefix !== null) return behindPrefix === "" ? null : `+${behindPrefix}`;
  if (selectedCountry === null || !isSupportedCountry(selectedCountry)) return null;
  const formatter = new AsYouType(selectedCountry);
  formatter.input(digits);
  return formatter.getNumberValue() ?? null;
}

/**
 * The country that the start of a number leads to: the one with its calling code, or the chosen one for a national number.
 * Null while no country has the code.
 */
export function partialNumberCountry(typed: string, selectedCountry: string): string | null {
  const digits = normalizePartialNumber(typed, selectedCountry)?.slice(1);
  return digits === undefined ? selectedCountry : (countrySharing(dialCodeOf(digits) ?? "", selectedCountry) ?? null);
}

/** Formats a number internationally, "+44 7400 123456"; other texts stay unchanged. */
export function formatInternational(e164: string): string {
  return parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
}

/** Groups digits while they are typed. A text with letters, * or # stays unchanged. */
export function formatAsTyped(typed: string, country: string | null): string {
  if (/[^\d\s()+./-]/.test(typed)) return typed;
  return new AsYouType(country !== null && isSupportedCountry(country) ? country : undefined).input(typed);
}

/** The digits after the country's exit code, or after 00 unless that starts another exit code; null without one. */
export function withoutInternationalPrefix(digits: string, country: string | null): string | null {
  return stripOwnExitCode(digits, country) ?? (mayStartOwnExitCode(digits, country) ? null : stripDoubleZero(digits));
}

/** Also 0011, Australia's exit code, because no North American number starts with 11. */
function stripDoubleZero(digits: string): string | null {
  return digits.startsWith("00") ? digits.replace(/^00(?:11)?/, "") : null;
}

/** @param text the original text: a zero in brackets is part of the number in Italy, but not elsewhere */
function parseInternational(digits: string, text: string): ReadNumber {
  const emergencyNumber = emergencyNumberAfterDialCode(digits);
  if (emergencyNumber !== null) return { ok: false, problem: "emergency", emergencyNumber };
  const dialCode = dialCodeOf(digits);
  if (dialCode === null && digits.length >= MAX_DIAL_CODE_DIGITS)
    return { ok: false, problem: "unknown_code", dialCode: digits.slice(0, MAX_DIAL_CODE_DIGITS) };
  const number = readDigits(digits);
  const short = dialCode === null ? digits : withoutZeroBehind(dialCode, digits);
  if (short === digits) return number;
  const withoutZero = readDigits(short);
  if (!isUsable(withoutZero)) return number.ok ? number : withoutZero;
  return BRACKETED_ZERO.test(text) && isUsable(number) && number.e164 !== withoutZero.e164
    ? ambiguous(withoutZero, number)
    : isUsable(number)
      ? number
      : withoutZero;
}

function readDigits(digits: string): ReadNumber {
  return possible(parsePhoneNumberFromString(`+${digits}`), null);
}

function possible(number: PhoneNumber | undefined, selectedCountry: string | null): ReadNumber {
  return number?.isPossible() === true ? found(number, selectedCountry) : { ok: false, problem: "impossible" };
}

function parseNational(digits: string, country: string): ReadNumber {
  if (!isSupportedCountry(country)) return parseWithoutPlan(digits, country);
  const number = parsePhoneNumberFromString(digits, country satisfies CountryCode);
  if (number?.isValid() !== true && digits.length <= MAX_SHORT_CODE_DIGITS) return { ok: false, problem: "short_code" };
  return possible(number, country);
}

/** The calling code at the start of the digits; null if unknown. */
export function dialCodeOf(digits: string): string | null {
  for (let length = 1; length <= MAX_DIAL_CODE_DIGITS; length += 1)
    if (countriesByDialCode(digits.slice(0, length)).length > 0) return digits.slice(0, length);
  return null;
}

/** For countries without a numbering plan in the library: replaces leading zeros by the dial code. */
function parseWithoutPlan(digits: string, country: string): ReadNumber {
  const dialCode = countryByCode(country)?.dialCode;
  if (dialCode === undefined) return { ok: false, problem: "country_required" };
  const significant = digits.replace(/^0+/, "");
  return parseInternational(dialCode + significant, significant);
}

function found(number: PhoneNumber, selectedCountry: string | null): ReadNumber {
  const countryCode = number.country ?? countrySharing(number.countryCallingCode, selectedCountry);
  if (countryCode === undefined) return { ok: false, problem: "impossible" };
  const listed = number.getType() ?? "unknown";
  const type = NAMES_IN_DECKS[listed] ?? listed.toLowerCase();
  return { ok: true, e164: number.number, countryCode, type, valid: number.isValid() };
}

/** The selected country if it has this calling code, else the main one that does. */
function countrySharing(dialCode: string, selectedCountry: string | null): string | undefined {
  const sharing = countriesByDialCode(dialCode);
  return (sharing.find((country) => country.iso2 === selectedCountry) ?? sharing[0])?.iso2;
}

const patterns = new Map<string, RegExp | null>();

/**
 * Removes this country's exit code, including those of carriers; null without one. The codes are from libphonenumber's metadata
 * (`internationalPrefix`).
 */
function stripOwnExitCode(digits: string, country: string | null): string | null {
  const code = patternOf(country)?.exec(digits)?.[0] ?? "";
  const rest = digits.slice(code.length);
  return code === "" || rest.startsWith("0") ? null : rest;
}

/** Whether the first two digits may start one of this country's exit codes, like 00 in Nigeria (009). */
function mayStartOwnExitCode(digits: string, country: string | null): boolean {
  const pattern = patternOf(country);
  const begin = digits.slice(0, 2);
  return (
    pattern !== null &&
    Array.from({ length: 100 }, (_, at) => begin + String(at).padStart(2, "0")).some((one) => pattern.test(one))
  );
}

function patternOf(country: string | null): RegExp | null {
  if (country === null || !isSupportedCountry(country)) return null;
  const known = patterns.get(country);
  if (known !== undefined) return known;
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const source = metadata.numberingPlan?.IDDPrefix();
  const pattern = source === undefined ? null : new RegExp(`^(?:${source})`);
  patterns.set(country, pattern);
  return pattern;
}

/** Without the zero that is dialled only within the country. */
export function withoutZeroBehind(dialCode: string, digits: string): string {
  return digits.startsWith(`${dialCode}0`) ? dialCode + digits.slice(dialCode.length + 1) : digits;
}
