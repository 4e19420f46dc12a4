import { asciiDigits } from "../ascii-digits.ts";
import {
  AsYouType,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
} from "libphonenumber-js/max";
import { countriesByDialCode, countryByCode } from "../countries/countries.ts";
import { behindOwnExitCode, mayBeginOwnExitCode } from "./exit-codes.ts";
import { emergencyNumberBehindDialCode, emergencyNumberTyped } from "./emergency-numbers.ts";

/** Why a typed text cannot be called. */
export type NumberProblem =
  /** Nothing typed. */
  | "empty"
  /** Never dialled by us: the caller is told to use a phone. */
  | "emergency"
  /** Works only inside its country. */
  | "short_code"
  /** A service code such as *67 or #31#. */
  | "star_code"
  /** Typed without a country code, and no country is chosen. The country is asked for, never guessed. */
  | "country_required"
  /** Possibly another country's number without its plus: the caller must add the plus, or the chosen country's trunk zero. */
  | "plus_missing"
  /** Too short, too long, or of no country. */
  | "impossible"
  /** Not a phone number at all: letters, too much text. */
  | "invalid";

export type NormalizedNumber =
  | {
      ok: true;
      /** With the plus. What is dialled, rated and stored. */
      e164: string;
      /** ISO code, or one of our X codes. */
      countryCode: string;
      /** As in a deck (`mobile`, `landline`, …), or `unknown`. The deck's own type is the one that counts. */
      type: string;
      /** False when only the length is right: the range is not known to be in use, so ask the caller to check it. */
      valid: boolean;
    }
  | { ok: false; problem: NumberProblem; emergencyNumber?: string };

const LONGEST_TEXT = 120;
const LONGEST_SHORT_CODE = 6;
/** Where an extension or a pause begins; it is no part of the number. */
const EXTENSION = /(?:[,;]|ext|x).*$/isu;

const TYPES: Readonly<Record<string, string>> = {
  MOBILE: "mobile",
  FIXED_LINE: "landline",
  FIXED_LINE_OR_MOBILE: "fixed_or_mobile",
  TOLL_FREE: "toll_free",
  PREMIUM_RATE: "premium",
  SHARED_COST: "shared_cost",
  VOIP: "voip",
  PERSONAL_NUMBER: "personal",
  PAGER: "pager",
  UAN: "uan",
  VOICEMAIL: "voicemail",
};

/**
 * Normalises what a person typed, pasted or imported to one E.164 number. The same function serves dialer, contacts,
 * rate look-up and service, so that the number shown is the number charged.
 * @param typed any writing: spaces, brackets, dots, other digits, 00 or 011 in front, an extension behind
 * @param selectedCountry ISO code of the country chosen beside the field; null when none is
 * @param homeCountry ISO code of the caller's own country, for its emergency numbers
 */
export function normalizeNumber(
  typed: string,
  selectedCountry: string | null,
  homeCountry: string | null = null,
): NormalizedNumber {
  if (typed.length > LONGEST_TEXT) return { ok: false, problem: "invalid" };
  const text = asciiDigits(typed).trim().replace(/^tel:/i, "").replace(EXTENSION, "");
  const digits = text.replace(/\D/g, "");
  const international = /^[^\d]*\+/.test(text);
  if (!international) {
    const codes = [homeCountry, selectedCountry].filter((code) => code !== null);
    const emergencyNumber = emergencyNumberTyped(digits, codes);
    if (emergencyNumber !== null) return { ok: false, problem: "emergency", emergencyNumber };
  }
  if (/[*#]/.test(text)) return { ok: false, problem: "star_code" };
  if (/[\p{L}\p{N}]/u.test(text.replace(/[0-9]/g, "")) || /\d.*\+|\+.*\+/s.test(text)) return { ok: false, problem: "invalid" };
  if (digits === "") return { ok: false, problem: "empty" };
  const behindPrefix = international ? digits : withoutInternationalPrefix(digits, selectedCountry);
  if (behindPrefix !== null) return parseInternational(behindPrefix);
  if (selectedCountry === null) return { ok: false, problem: "country_required" };
  const national = parseNational(digits, selectedCountry);
  return mayLackItsPlus(digits, national) ? { ok: false, problem: "plus_missing" } : national;
}

/**
 * Whether the digits may be another country's number without its plus: with a plus they are valid, and in the chosen country they are
 * either not in use or a landline written without its trunk zero. They are never dialled as national numbers, because in
 * countries without a fixed number length that would ring a stranger.
 */
function mayLackItsPlus(digits: string, national: NormalizedNumber): boolean {
  if (national.ok) {
    // North America's numbers all have ten digits, so an unknown range is a new one.
    if (national.e164.startsWith("+1")) return false;
    const isUsual = national.type === "mobile" || digits.startsWith("0") || !isWrittenWithZero(national.e164);
    if (national.valid && isUsual) return false;
  } else if (national.problem !== "impossible") return false;
  const abroad = parseInternational(behindDoubleZero(digits) ?? digits);
  return abroad.ok && abroad.valid && !(national.ok && abroad.e164 === national.e164);
}

function isWrittenWithZero(e164: string): boolean {
  return parsePhoneNumberFromString(e164)?.formatNational().replace(/\D/g, "").startsWith("0") ?? false;
}

/**
 * The beginning of an E.164 number while it is being typed, for price look-ups.
 * @returns plus and digits, or null when not even the country code is known
 */
export function normalizePartialNumber(typed: string, selectedCountry: string | null): string | null {
  const text = asciiDigits(typed).slice(0, LONGEST_TEXT).replace(EXTENSION, "");
  const digits = text.replace(/\D/g, "");
  const behindPrefix = /^[^\d]*\+/.test(text) ? digits : withoutInternationalPrefix(digits, selectedCountry);
  if (behindPrefix !== null) return behindPrefix === "" ? null : `+${withoutMexicanMobileOne(behindPrefix)}`;
  if (selectedCountry === null || !isSupportedCountry(selectedCountry)) return null;
  const formatter = new AsYouType(selectedCountry);
  formatter.input(digits);
  return formatter.getNumberValue() ?? null;
}

/** Formats a number internationally, "+44 7400 123456"; other texts stay unchanged. */
export function formatInternational(e164: string): string {
  return parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
}

/** Groups digits while they are typed. What holds more than a number (letters, * or #) is left as it is. */
export function formatAsTyped(typed: string, country: string | null): string {
  if (/[^\d\s()+./-]/.test(typed)) return typed;
  return new AsYouType(country !== null && isSupportedCountry(country) ? country : undefined).input(typed);
}

/** The digits behind the country's own exit code, or behind 00 where that begins nothing else; null when there is none. */
function withoutInternationalPrefix(digits: string, country: string | null): string | null {
  return behindOwnExitCode(digits, country) ?? (mayBeginOwnExitCode(digits, country) ? null : behindDoubleZero(digits));
}

function behindDoubleZero(digits: string): string | null {
  return digits.startsWith("00") ? digits.slice(2) : null;
}

function parseInternational(digits: string): NormalizedNumber {
  const emergencyNumber = emergencyNumberBehindDialCode(digits);
  if (emergencyNumber !== null) return { ok: false, problem: "emergency", emergencyNumber };
  const number = parsePhoneNumberFromString(`+${withoutMexicanMobileOne(digits)}`);
  if (number === undefined || !number.isPossible()) return { ok: false, problem: "impossible" };
  return found(number, null);
}

function parseNational(digits: string, country: string): NormalizedNumber {
  if (!isSupportedCountry(country)) return parseWithoutPlan(digits, country);
  const number = parsePhoneNumberFromString(digits, country satisfies CountryCode);
  const valid = number?.isValid() ?? false;
  if (!valid && digits.length <= LONGEST_SHORT_CODE) return { ok: false, problem: "short_code" };
  if (number === undefined || !number.isPossible()) return { ok: false, problem: "impossible" };
  return found(number, country);
}

/** Where the library knows no numbering plan: leading zeros go, the dial code comes in front. */
function parseWithoutPlan(digits: string, country: string): NormalizedNumber {
  const dialCode = countryByCode(country)?.dialCode;
  if (dialCode === undefined) return { ok: false, problem: "country_required" };
  return parseInternational(dialCode + digits.replace(/^0+/, ""));
}

/** Mexican mobiles were +52 1 and ten digits until 2019; the 1 is no longer dialled. */
function withoutMexicanMobileOne(digits: string): string {
  return digits.replace(/^521(\d{10})$/, "52$1");
}

function found(number: PhoneNumber, selectedCountry: string | null): NormalizedNumber {
  const sharing = countriesByDialCode(number.countryCallingCode);
  const fallback = sharing.find((country) => country.iso2 === selectedCountry) ?? sharing[0];
  const countryCode = number.country ?? fallback?.iso2;
  if (countryCode === undefined) return { ok: false, problem: "impossible" };
  const type = TYPES[number.getType() ?? ""] ?? "unknown";
  return { ok: true, e164: number.number, countryCode, type, valid: number.isValid() };
}
