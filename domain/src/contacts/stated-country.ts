import { asciiDigits } from "../ascii-digits.ts";
import { countries, countriesByDialCode, countryByCode } from "../countries/countries.ts";
import { type NormalizedNumber, normalizeNumber } from "../numbers/phone-number.ts";
import type { FileNumber, StatedCountry } from "./contact-file.ts";
import { countriesNamed } from "../countries/find-countries.ts";
import { foldText } from "./fold-text.ts";

export type FileNumberReading =
  | NormalizedNumber
  /** The row names a country that is unknown, so the number may not be read as another's. */
  | { ok: false; problem: "country_unknown"; country: string }
  /** The number does not belong to the country that its row names. */
  | { ok: false; problem: "country_contradicts"; country: string };

type Found = Extract<NormalizedNumber, { ok: true }>;

/**
 * Reads a number of a file. The country that its row states takes precedence over the user's choice for the whole file, and a number
 * that contradicts it is refused: a wrong guess would dial a stranger.
 * @param chosen ISO code for numbers without a country code, or null
 */
export function readFileNumber({ text, stated }: FileNumber, chosen: string | null): FileNumberReading {
  const home = normalizeNumber(text, chosen);
  if (stated === null) return home;
  const refusal = (problem: "country_unknown" | "country_contradicts") => ({ ok: false, problem, country: stated.text }) as const;
  const own = normalizeNumber(text, null);
  const namesItsCountry = own.ok || /^(?:unknown_code|renumbered|ambiguous|impossible)$/.test(own.problem);
  const isThere = (number: NormalizedNumber | null): number is Found => number?.ok === true && belongs(number.e164, stated);
  if (stated.isAddress) return namesItsCountry || stated.codes.length === 0 ? home : doubted(home, nationalNumber(text, stated));
  if (namesItsCountry) return !own.ok || stated.codes.length === 0 || isThere(own) ? own : refusal("country_contradicts");
  if (!home.ok && home.problem === "emergency") return home;
  if (stated.codes.length === 0) return refusal("country_unknown");
  const there = nationalNumber(text, stated);
  if (isThere(there) && there.valid) return there;
  if (isThere(home) && home.valid) return home;
  // Digits that include the code of the country stated are not ambiguous.
  const choices = !there.ok && there.problem === "ambiguous" ? there.choices.filter(({ e164 }) => belongs(e164, stated)) : [];
  if (choices.length === 1) return normalizeNumber(choices[0]?.e164 ?? "", null);
  return (there.ok && !isThere(there)) || (home.ok && home.valid) ? refusal("country_contradicts") : there;
}

/** Refuses to choose between the reading for the whole file and that for the country of the address. */
function doubted(home: NormalizedNumber, there: NormalizedNumber): NormalizedNumber {
  if (!home.ok || !there.ok || !there.valid || home.e164 === there.e164) return home;
  return {
    ok: false,
    problem: "ambiguous",
    choices: [there, home].map(({ e164, countryCode }) => ({ e164, countryCode })),
  };
}

/** The number as dialled within the stated country, or after the stated area. */
function nationalNumber(text: string, { codes, prefix }: StatedCountry): NormalizedNumber {
  const national = normalizeNumber(text, codes[0] ?? null);
  if (prefix === "" || (national.ok && national.valid)) return national;
  const behindArea = normalizeNumber(`+${prefix}${asciiDigits(text).replace(/\D/g, "")}`, null);
  return behindArea.ok && behindArea.valid ? behindArea : national;
}

/** Countries that share a calling code share their numbers too, so the code decides. */
function belongs(e164: string, { codes, prefix }: StatedCountry): boolean {
  const begins = prefix === "" ? codes.map((code) => countryByCode(code)?.dialCode ?? "-") : [prefix];
  return begins.some((begin) => e164.startsWith(`+${begin}`));
}

const NOTHING = /^(?:[\s\p{P}\p{S}0]*|n\/?a|none|null|nil)$/iu;

const MAX_REMEMBERED = 2_000;
const remembered = new Map<string, Omit<StatedCountry, "isAddress"> | null>();

/** Reads names, ISO codes, flags and dialling codes: "Nepal", "NP", "+977", "00977", "977", "Nepal (+977)". Null if nothing is stated. */
export function statedCountry(text: string, isAddress: boolean): StatedCountry | null {
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const found = remembered.get(text) ?? readCountry(text);
  remembered.set(text, found);
  return found && { ...found, isAddress };
}

function readCountry(text: string): Omit<StatedCountry, "isAddress"> | null {
  const plain = asciiDigits(text.normalize("NFKC")).trim();
  const letters = plain.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, (sign) => String.fromCharCode((sign.codePointAt(0) ?? 0) - 0x1f1a5));
  if (NOTHING.test(letters)) return null;
  const dialled = /\d[\d\s.-]*/.exec(letters)?.[0].replace(/\D/g, "").replace(/^00/, "") ?? "";
  const named = countriesIn(letters.replace(/[\d+]/g, " "));
  const code = dialCodeIn(dialled);
  const byCode = code === null ? [] : countriesByDialCode(code).map(({ iso2 }) => iso2);
  const both = byCode.filter((one) => named.includes(one));
  const codes = dialled === "" ? named : named.length === 0 ? byCode : both;
  return { text: plain, codes: agreed(codes), prefix: code === null || code === dialled ? "" : dialled };
}

/** Countries with different calling codes are no answer. */
function agreed(codes: readonly string[]): readonly string[] {
  return new Set(codes.map((code) => countryByCode(code)?.dialCode)).size === 1 ? codes : [];
}

/** What two columns state together, for example a country and its dialling code. */
export function bothStated(one: StatedCountry, other: StatedCountry): StatedCountry {
  const isDecided = one.isAddress === other.isAddress;
  if (!isDecided) return one.isAddress ? other : one;
  const codes = one.codes.filter((code) => other.codes.includes(code));
  return { ...one, text: `${one.text} ${other.text}`, codes, prefix: one.prefix || other.prefix };
}

function dialCodeIn(digits: string): string | null {
  for (let length = 1; length <= Math.min(3, digits.length); length += 1) {
    const code = digits.slice(0, length);
    if (countriesByDialCode(code).length > 0) return code === digits || digits.startsWith("1") ? code : null;
  }
  return null;
}

/** Languages besides ours in which address books name countries. */
const FURTHER_LANGUAGES = "de it pt nl pl ru uk tr zh zh-Hant ja ko th vi id bn ur fa ne ta sw am fil he el cs ro sv".split(" ");
const namesIn = new Map<string, ReadonlyMap<string, string>>();

/** The countries that a text names, as ISO codes. */
function countriesIn(text: string): readonly string[] {
  const name = foldText(text);
  if (name === "") return [];
  const named = countriesNamed(text);
  if (named.length > 0) return named;
  const found = FURTHER_LANGUAGES.flatMap((language) => namesOf(language).get(name) ?? []);
  return found.slice(0, 1);
}

function namesOf(language: string): ReadonlyMap<string, string> {
  const known = namesIn.get(language);
  if (known !== undefined) return known;
  const region = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  const codes = countries.map(({ iso2 }) => iso2).filter((code) => /^(?!X[^K])/.test(code));
  const names = new Map(codes.map((code) => [foldText(region.of(code) ?? ""), code]));
  namesIn.set(language, names);
  return names;
}
