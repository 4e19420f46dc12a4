import { asciiDigits } from "../ascii-digits.ts";
import { countries, countriesByDialCode, countryByCode } from "../countries/countries.ts";
import { type NormalizedNumber, normalizeNumber } from "../numbers/phone-number.ts";
import type { FileNumber, StatedCountry } from "./contact-file.ts";
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
  if (home.ok === false && home.problem === "emergency") return home;
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
  const named = countriesNamed(letters.replace(/[\d+]/g, " "));
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

/** Languages in which names of countries are read, ours first. */
const NAMED_IN = [
  ..."en es fr hi ar".split(" "),
  ..."de it pt nl pl ru uk tr zh zh-Hant ja ko th vi id bn ur fa ne ta sw am fil he el cs ro sv".split(" "),
];
/** Everyday names besides the CLDR's. */
const EVERYDAY =
  "US:usa,u s a,u s,america,united states of america,estados unidos de america,eeuu,ee uu,etats unis d amerique|GB:uk,u k,gb,great britain,britain,england,scotland,wales,northern ireland,gran bretana,inglaterra,grande bretagne,angleterre,england|" +
  "AE:uae,u a e,emirates,dubai,abu dhabi|SA:ksa|CD:drc,dr congo,zaire,congo kinshasa|CG:congo brazzaville|CI:ivory coast|CV:cape verde|SZ:swaziland|MK:macedonia|MM:burma|" +
  "NL:holland,holanda|TR:turkey,turkiye|CZ:czech republic|RU:russian federation|KR:korea,south korea,republic of korea|TL:east timor|HK:hong kong,hongkong|MO:macau|IR:persia|SY:syria|" +
  "VN:viet nam|BO:bolivia|VE:venezuela|TZ:tanzania|LA:laos|BN:brunei|MD:moldova|PS:palestine|TW:taiwan|VA:vatican|CH:suiza,suisse";

const namesIn = new Map<string, ReadonlyMap<string, string>>();

/** The countries that a text names, as ISO codes. */
function countriesNamed(text: string): readonly string[] {
  const whole = countryNamed(text);
  if (whole !== null) return [whole];
  const parts = text.split(/[,;/|()[\]&–—-]|\s-\s/u).flatMap((part) => countryNamed(part) ?? []);
  return [...new Set(parts)];
}

function countryNamed(text: string): string | null {
  const name = foldedName(text);
  if (name === "") return null;
  const code = name.toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && code !== "UK" && countryByCode(code)?.selectable === true) return code;
  for (const language of ["", ...NAMED_IN]) {
    const found = namesOf(language).get(name);
    if (found !== undefined) return found;
  }
  return null;
}

function namesOf(language: string): ReadonlyMap<string, string> {
  const known = namesIn.get(language);
  if (known !== undefined) return known;
  const names = new Map<string, string>(language === "" ? everyday() : inLanguage(language));
  namesIn.set(language, names);
  return names;
}

function everyday(): [string, string][] {
  const list = EVERYDAY.split("|").map((entry) => entry.split(":"));
  const aliases = list.flatMap(([code = "", names = ""]) => names.split(",").map((name): [string, string] => [name, code]));
  return [...countries.map(({ name, iso2 }): [string, string] => [foldedName(name), iso2]), ...aliases];
}

function inLanguage(language: string): [string, string][] {
  return (["long", "short"] as const).flatMap((style) => {
    const region = new Intl.DisplayNames([language], { type: "region", style, fallback: "none" });
    return countries
      .filter(({ iso2 }) => /^(?!X[^K])/.test(iso2))
      .map(({ iso2 }): [string, string] => [foldedName(region.of(iso2) ?? ""), iso2])
      .filter(([name]) => name.length > 1);
  });
}

function foldedName(text: string): string {
  return foldText(text)
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim()
    .replace(/^(?:the|la|le|les|el|los|las|republic of) /, "");
}
