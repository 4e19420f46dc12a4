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

/** Why a text cannot be called. */
export type NumberProblem =
  /** Nothing typed. */
  | "empty"
  /** Never dialled by us: the caller is asked to use a phone. */
  | "emergency"
  /** Works only inside its country. */
  | "short_code"
  /** A service code such as *67 or #31#. */
  | "star_code"
  /** Without a country code, and no country is chosen. The caller is asked; the country is never guessed. */
  | "country_required"
  /** Several numbers may be meant (`choices`). Nothing is dialled, priced or stored until the caller chooses. */
  | "ambiguous"
  /** No country has the calling code (`dialCode`). */
  | "unknown_code"
  /** In a format from before a `renumbering`, from which the current number cannot be derived. */
  | "renumbered"
  /** Too short or too long. */
  | "impossible"
  /** Not a phone number: contains letters or too much text. */
  | "invalid";

/** A number that a text may mean. */
export interface NumberChoice {
  readonly e164: string;
  readonly countryCode: string;
}

export type NormalizedNumber =
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
  | { ok: false; problem: Exclude<NumberProblem, "emergency" | "ambiguous" | "unknown_code" | "renumbered"> }
  | { ok: false; problem: "emergency"; emergencyNumber: string }
  /** The more likely choice first. */
  | { ok: false; problem: "ambiguous"; choices: readonly NumberChoice[] }
  | { ok: false; problem: "unknown_code"; dialCode: string }
  | { ok: false; problem: "renumbered"; renumbering: Renumbering };

const MAX_SHORT_CODE_DIGITS = 6;
const MAX_DIAL_CODE_DIGITS = 3;
/** "+44 (0) 20 …": a zero that is dialled only within the country. */
const BRACKETED_ZERO = /[([]\s*0\s*[)\]]/;
/** A bracketed area code marks a national number. */
const BRACKETED_AREA = /\(\s*\d{2,}\s*\)/;

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
 * Normalises typed, pasted or imported text to an E.164 number. The dialer, contacts, rate look-up and the service use the same
 * function, so that the number shown is the number charged.
 *
 * Digits without a plus that are valid both as a national and as an international number are `ambiguous`, unless their grouping decides:
 * "(646) 234-5678" is American, "64 6 234 5678" is not (docs/decisions/011-numbers-and-contacts.md).
 * @param typed may contain labels, links, separators, digits of any script, an exit code and an extension
 * @param selectedCountry ISO code of the chosen country; null if none is chosen
 * @param homeCountry ISO code of the caller's own country, for its emergency numbers
 */
export function normalizeNumber(
  typed: string,
  selectedCountry: string | null,
  homeCountry: string | null = null,
): NormalizedNumber {
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
  if (/[\p{L}\p{N}]/u.test(text.replace(/[0-9]/g, "")) || /\d.*\+|\+.*\+/s.test(text)) return { ok: false, problem: "invalid" };
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

type FoundNumber = Extract<NormalizedNumber, { ok: true }>;

function isUsable(number: NormalizedNumber | null): number is FoundNumber & { valid: true } {
  return number?.ok === true && number.valid;
}

/** The number that is meant, if both are the same or the formatting decides; else `ambiguous`. */
function resolve(text: string, national: FoundNumber, abroad: FoundNumber): NormalizedNumber {
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

function ambiguous(...numbers: readonly FoundNumber[]): NormalizedNumber {
  return { ok: false, problem: "ambiguous", choices: numbers.map(({ e164, countryCode }) => ({ e164, countryCode })) };
}

function isWrittenWithZero(e164: string): boolean {
  return parsePhoneNumberFromString(e164)?.formatNational().replace(/\D/g, "").startsWith("0") ?? false;
}

function isInternational(text: string): boolean {
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
  if (behindPrefix !== null) return behindPrefix === "" ? null : `+${toCurrentFormat(behindPrefix) ?? behindPrefix}`;
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
function withoutInternationalPrefix(digits: string, country: string | null): string | null {
  return stripOwnExitCode(digits, country) ?? (mayStartOwnExitCode(digits, country) ? null : stripDoubleZero(digits));
}

function stripDoubleZero(digits: string): string | null {
  return digits.startsWith("00") ? digits.slice(2) : null;
}

/** @param text the original text: a zero in brackets is part of the number in Italy, but not elsewhere */
function parseInternational(digits: string, text: string): NormalizedNumber {
  const emergencyNumber = emergencyNumberAfterDialCode(digits);
  if (emergencyNumber !== null) return { ok: false, problem: "emergency", emergencyNumber };
  const dialCode = dialCodeOf(digits);
  if (dialCode === null && digits.length >= MAX_DIAL_CODE_DIGITS)
    return { ok: false, problem: "unknown_code", dialCode: digits.slice(0, MAX_DIAL_CODE_DIGITS) };
  const renumbering = renumberingOf(digits);
  if (renumbering !== null) return { ok: false, problem: "renumbered", renumbering };
  const number = firstValid([digits, toCurrentFormat(digits)], null);
  if (dialCode === null || !BRACKETED_ZERO.test(text)) return number;
  const withoutZero = firstValid([digits.replace(`${dialCode}0`, dialCode)], null);
  if (!isUsable(withoutZero)) return number;
  return isUsable(number) && number.e164 !== withoutZero.e164 ? ambiguous(withoutZero, number) : withoutZero;
}

function parseNational(digits: string, country: string): NormalizedNumber {
  if (!isSupportedCountry(country)) return parseWithoutPlan(digits, country);
  const dialCode = countryByCode(country)?.dialCode ?? "";
  const renumbering = renumberingOf(dialCode + digits);
  if (renumbering !== null) return { ok: false, problem: "renumbered", renumbering };
  const today = toCurrentFormat(dialCode + digits.replace(/^0(?=[1-9])/, "")) ?? toCurrentFormat(dialCode + digits);
  const number = parsePhoneNumberFromString(digits, country satisfies CountryCode);
  const valid = number?.isValid() ?? false;
  if (!valid && digits.length <= MAX_SHORT_CODE_DIGITS) return { ok: false, problem: "short_code" };
  if (number?.isValid() === true || today === null)
    return number?.isPossible() === true ? found(number, country) : { ok: false, problem: "impossible" };
  return firstValid([number?.number.slice(1) ?? null, today], country);
}

/** The first of several formats that is a number in use, else the first with a possible length. */
function firstValid(writings: readonly (string | null)[], country: string | null): NormalizedNumber {
  const numbers = writings.flatMap((digits) => (digits === null ? [] : (parsePhoneNumberFromString(`+${digits}`) ?? [])));
  const number = numbers.find((one) => one.isValid()) ?? numbers.find((one) => one.isPossible());
  return number === undefined ? { ok: false, problem: "impossible" } : found(number, country);
}

/** The calling code at the start of the digits; null if unknown. */
function dialCodeOf(digits: string): string | null {
  for (let length = 1; length <= MAX_DIAL_CODE_DIGITS; length += 1)
    if (countriesByDialCode(digits.slice(0, length)).length > 0) return digits.slice(0, length);
  return null;
}

/** For countries without a numbering plan in the library: replaces leading zeros by the dial code. */
function parseWithoutPlan(digits: string, country: string): NormalizedNumber {
  const dialCode = countryByCode(country)?.dialCode;
  if (dialCode === undefined) return { ok: false, problem: "country_required" };
  const significant = digits.replace(/^0+/, "");
  return parseInternational(dialCode + significant, significant);
}

function found(number: PhoneNumber, selectedCountry: string | null): NormalizedNumber {
  const countryCode = number.country ?? countrySharing(number.countryCallingCode, selectedCountry);
  if (countryCode === undefined) return { ok: false, problem: "impossible" };
  const type = TYPES[number.getType() ?? ""] ?? "unknown";
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

/** A country whose numbers became longer in a way from which the new number cannot be derived. */
interface Renumbering {
  readonly countryCode: string;
  readonly year: number;
  /** The current number of digits, without the country code. */
  readonly digits: number;
}

interface RenumberedPlan extends Renumbering {
  readonly dialCode: string;
  readonly digitsBefore: number;
}

/** Converts international digits from a former format; null if they are not in one. */
function toCurrentFormat(digits: string): string | null {
  for (const [former, today] of REPLACED) if (former.test(digits)) return digits.replace(former, today);
  return null;
}

/** The renumbering that made international digits obsolete; null if there is none. */
function renumberingOf(digits: string): Renumbering | null {
  const plan = RENUMBERED.find(
    ({ dialCode, digitsBefore }) => digits.startsWith(dialCode) && digits.length === dialCode.length + digitsBefore,
  );
  return plan ?? null;
}
