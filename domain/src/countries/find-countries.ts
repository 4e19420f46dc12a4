import { asciiDigits } from "../ascii-digits.ts";
import { foldText } from "../contacts/fold-text.ts";
import { PLACE_ROWS } from "../data/place-rows.ts";
import { languages } from "../languages.ts";
import { countries, countriesByDialCode } from "./countries.ts";

/** Codes that `Intl.DisplayNames` knows. X codes are ours, except XK (Kosovo). */
const ISO_CODE = /^(?!X[^K])[A-Z]{2}$/;
const ARTICLES = new Set("the of and et y e und i und de del des du d da do la le les l el los las al और व و".split(" "));
/** Words of official names that everyday names leave out. */
const OFFICIAL = new Set(
  (
    "republic kingdom state states sultanate principality commonwealth union federation federal federative islamic democratic socialist " +
    "peoples plurinational bolivarian cooperative independent sovereign arab grand duchy great united province territory collectivity " +
    "country nation city special administrative region sar bailiwick " +
    "republica reino estado estados principado federacion federal islamica democratica socialista popular plurinacional bolivariana " +
    "cooperativa arabe gran ducado mancomunidad territorio pais ciudad region administrativa especial " +
    "republique royaume etat etats principaute federation federale islamique democratique socialiste populaire bolivarienne emirat " +
    "grande territoire pays administrative speciale bailliage collectivite ile iles isla islas island islands " +
    "गणराज्य राज्य गणतन्त्र संघ द्वीप समूह " +
    "جمهوريه مملكه دوله سلطنه اماره اسلاميه ديمقراطيه ديموقراطيه شعبيه اتحاديه فدراليه تعاونيه عربيه اقليم كومنولث كومونولث جزر جزيره"
  ).split(" "),
);
const SPELLED_OUT: ReadonlyMap<string, string> = new Map([
  ["st", "saint"],
  ["ste", "saint"],
  ["isl", "islands"],
  ["rep", "republic"],
  ["dem", "democratic"],
]);
/** Calling codes with area codes that belong to one country only. */
const AREA_CODES = Object.entries({
  AG: "1268",
  AI: "1264",
  AS: "1684",
  BB: "1246",
  BM: "1441",
  BS: "1242",
  DM: "1767",
  DO: "1809 1829 1849",
  GD: "1473",
  GG: "441481",
  GU: "1671",
  IM: "441624",
  JE: "441534",
  JM: "1876 1658",
  KN: "1869",
  KY: "1345",
  KZ: "76 77",
  LC: "1758",
  MP: "1670",
  MS: "1664",
  PR: "1787 1939",
  SX: "1721",
  TC: "1649",
  TT: "1868",
  VA: "3906698",
  VC: "1784",
  VG: "1284",
  VI: "1340",
}).flatMap(([code, starts]) => starts.split(" ").map((start) => [start, code] as const));
/** French and Italian articles: "l'Inde", "République d'Angola". */
const ELISION = /(^|\s|-)[dl]['’]\s?/giu;
/** "al-", and "and al-", before at least three letters. */
const ARABIC_ARTICLE = /^(?:و?ال|و(?=.{4}))(?=...)/u;
const DIALLED = /^(\+|00|011)?[\s().-]*(\d[\d\s().-]*)$/;
const MAX_CALLING_CODE_DIGITS = 7;
/** Shorter beginnings of towns' names would match too many. */
const MIN_PLACE_LETTERS = 4;
/** Shorter texts match only the beginnings of names in English and the reader's language, unless its script has few letters a word. */
const MIN_PART_LETTERS = 3;
const NOT_LATIN = /[^\p{Script=Latin}\p{N}]/u;
/** Letters from which one typing slip is forgiven, and from which two are. */
const ONE_SLIP_FROM = 5;
const TWO_SLIPS_FROM = 9;

/** One of the names of a country, or of a place in it, as it is compared. */
interface Name {
  readonly code: string;
  readonly isPlace: boolean;
  /** Null for further names. */
  readonly language: string | null;
  readonly typed: Typed;
}

/** A text in the forms that are compared: "The Gambia" is "thegambia", "gambia" and ["gambia"]. */
interface Typed {
  readonly joined: string;
  readonly core: string;
  readonly words: readonly string[];
  /** The words in a fixed order: "Korea, Republic of" is "Republic of Korea". */
  readonly sorted: string;
}

/** How well a text matches a name, best first. */
const CODE = 0;
const WHOLE = 1;
const WHOLE_PLACE = 2;
const START = 3;
const WORDS = 4;
const OTHER_NAME = 5;
/** From here on only if no name matches better. */
const PART = 6;
const START_OF_PLACE = 7;

let known: { readonly names: readonly Name[]; readonly alpha3: ReadonlyMap<string, string> } | null = null;

/**
 * The countries and territories that a text may mean, best match first: by code ("GB", "GBR", "+44", "0044", "44"), by official,
 * everyday or former name in each of our languages, by its beginning, or by a big city. Only if nothing else is found, by parts of
 * names and with typing slips. The one look-up of every search, in the browser and on the server.
 * @param language whose names come first, BCP 47
 * @param only "names" leaves out cities, parts and slips, for texts that have another meaning already
 * @returns ISO codes; none for an empty text
 */
export function findCountries(
  text: string,
  { language = "en", only = "all" }: { readonly language?: string; readonly only?: "all" | "names" } = {},
): readonly string[] {
  const dialled = countriesDialled(text);
  if (dialled !== null) return dialled;
  const typed = formsOf(text);
  if (typed.joined === "") return [];
  const places = only === "all";
  const found = ranked(typed, language, places);
  if (found.length > 0 || !places) return found;
  const plain = withoutOfficialWords(typed);
  for (const find of [
    () => (plain === null ? [] : ranked(plain, language, places)),
    () => countriesNamed(text),
    () => foundByAllNames(typed),
    () => foundWithSlips(typed),
  ]) {
    const next = find();
    if (next.length > 0) return next;
  }
  return [];
}

/** The countries that a text names as a whole, as in a column "Country": several for "Congo", none if it is not a country's name or code. */
export function countriesNamed(text: string): readonly string[] {
  const dialled = countriesDialled(text);
  if (dialled !== null) return dialled;
  const typed = formsOf(text);
  const plain = withoutOfficialWords(typed);
  const whole = [typed, ...(plain === null ? [] : [plain])].map(namedBy).find((codes) => codes.length > 0);
  if (whole !== undefined) return whole;
  const parts = text.split(/[(),/;]/).filter((part) => part.trim() !== "");
  return parts.length < 2 ? [] : [...new Set(parts.flatMap((part) => namedBy(formsOf(part))))];
}

function namedBy(typed: Typed): readonly string[] {
  if (typed.joined === "") return [];
  const code = codeOf(typed);
  if (code !== null) return [code];
  return [...new Set(allNames().names.flatMap((name) => (isWhole(name, typed) && !name.isPlace ? [name.code] : [])))];
}

/** The countries of a calling code; null if the text is no number. A longer number counts only in international form. */
function countriesDialled(text: string): readonly string[] | null {
  const [, prefix, rest = ""] = DIALLED.exec(asciiDigits(text).trim()) ?? [];
  const digits = rest.replace(/\D/g, "");
  if (digits === "") return null;
  const longest = Math.min(digits.length, MAX_CALLING_CODE_DIGITS);
  for (let length = longest; length > (prefix === undefined ? digits.length - 1 : 0); length--) {
    const start = digits.slice(0, length);
    const area = AREA_CODES.find(([code]) => code === start);
    if (area !== undefined) return [area[1]];
    const sharing = countriesByDialCode(start);
    if (sharing.length > 0) return sharing.map(({ iso2 }) => iso2);
  }
  return [];
}

function codeOf({ joined }: Typed): string | null {
  const upper = joined.toUpperCase();
  if (/^[A-Z]{2}$/.test(upper)) return countries.some(({ iso2 }) => iso2 === upper) ? upper : null;
  return allNames().alpha3.get(upper) ?? null;
}

function ranked(typed: Typed, language: string, places: boolean): readonly string[] {
  const scores = new Map<string, number>();
  const code = codeOf(typed);
  if (code !== null) scores.set(code, CODE);
  for (const name of allNames().names) {
    if (name.isPlace && !places) continue;
    const score = scoreOf(name, typed, language);
    if (score !== null && (places || score < PART) && score < (scores.get(name.code) ?? Infinity)) scores.set(name.code, score);
  }
  const least = Math.min(...scores.values());
  const kept = [...scores].filter(([, score]) => score < PART || least >= PART);
  return kept.toSorted(([, one], [, other]) => one - other).map(([found]) => found);
}

function scoreOf(name: Name, typed: Typed, language: string): number | null {
  if (isWhole(name, typed)) return name.isPlace ? WHOLE_PLACE : WHOLE;
  const starts = name.typed.joined.startsWith(typed.joined) || name.typed.core.startsWith(typed.core);
  if (name.isPlace) return starts && typed.core.length >= MIN_PLACE_LETTERS ? START_OF_PLACE : null;
  const isOwn = name.language === language || name.language === "en";
  if (isOwn && starts) return START;
  if (typed.core.length < MIN_PART_LETTERS && !(starts && NOT_LATIN.test(typed.core))) return null;
  if (starts || startWordsOf(name.typed.words, typed.words)) return isOwn ? WORDS : OTHER_NAME;
  return name.typed.words.some((word) => word.includes(typed.core)) ? PART : null;
}

function isWhole({ typed: name }: Name, typed: Typed): boolean {
  return name.joined === typed.joined || name.core === typed.core || name.sorted === typed.sorted;
}

function startWordsOf(words: readonly string[], starts: readonly string[]): boolean {
  return starts.every((start) => words.some((word) => word.startsWith(start)));
}

/** "Accra, Ghana", "London UK": each word begins a word of one of the country's names. */
function foundByAllNames({ words }: Typed): readonly string[] {
  if (words.length < 2) return [];
  const wordsOf = new Map<string, string[]>();
  for (const { code, typed } of allNames().names) wordsOf.set(code, [...(wordsOf.get(code) ?? []), ...typed.words]);
  return [...wordsOf].flatMap(([code, all]) => (startWordsOf(all, words) ? [code] : []));
}

/** Those with the fewest slips: whole names, then cities, then names as far as they are typed. */
function foundWithSlips({ core }: Typed): readonly string[] {
  const most = core.length >= TWO_SLIPS_FROM ? 2 : core.length >= ONE_SLIP_FROM ? 1 : 0;
  if (most === 0) return [];
  for (const [isPlace, whole] of [
    [false, true],
    [true, true],
    [false, false],
  ]) {
    const names = allNames().names.filter((name) => name.isPlace === isPlace);
    const slips = names.map(({ typed }) => slipsBetween(core, typed.core, { most, whole: whole === true }));
    const least = Math.min(...slips);
    if (least <= most) return [...new Set(names.flatMap(({ code }, index) => (slips[index] === least ? [code] : [])))];
  }
  return [];
}

/**
 * How many letters were left out, added, replaced or swapped with the next (optimal string alignment).
 * @param whole false: between the text and any beginning of the name
 * @returns more than `most` if there are more
 */
function slipsBetween(text: string, name: string, { most, whole }: { readonly most: number; readonly whole: boolean }): number {
  if (text.length - name.length > most || (whole && name.length - text.length > most)) return most + 1;
  const end = Math.min(name.length, text.length + most);
  let before: number[] = [];
  let last = Array.from({ length: end + 1 }, (_, index) => index);
  for (let row = 1; row <= text.length; row++) {
    const next = [row];
    for (let column = 1; column <= end; column++) {
      const isSame = text[row - 1] === name[column - 1];
      let slips = Math.min(at(last, column) + 1, at(next, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      const isSwapped = row > 1 && column > 1 && text[row - 1] === name[column - 2] && text[row - 2] === name[column - 1];
      if (isSwapped) slips = Math.min(slips, at(before, column - 2) + 1);
      next.push(slips);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, last] = [last, next];
  }
  return whole ? at(last, end) : Math.min(...last);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

function withoutOfficialWords({ words }: Typed): Typed | null {
  const left = words.filter((word) => !OFFICIAL.has(word));
  return left.length === 0 || left.length === words.length ? null : formsOf(left.join(" "));
}

function formsOf(text: string): Typed {
  const all = foldText(text.replace(ELISION, "$1 ")).split(" ").filter(Boolean);
  const plain = all
    .filter((word) => !ARTICLES.has(word))
    .map((word) => (SPELLED_OUT.get(word) ?? word).replace(ARABIC_ARTICLE, ""));
  const words = plain.length === 0 ? all : plain;
  return { joined: foldText(text).replaceAll(" ", ""), core: words.join(""), words, sorted: words.toSorted().join(" ") };
}

/** Made when first needed, because it takes some milliseconds. */
function allNames() {
  if (known !== null) return known;
  const names: Name[] = [];
  const alpha3 = new Map<string, string>();
  const seen = new Set<string>();
  const add = (code: string, language: string | null, isPlace: boolean, name: string): void => {
    const typed = formsOf(name);
    const key = `${code} ${typed.joined}`;
    if (typed.joined === "" || seen.has(key)) return;
    seen.add(key);
    names.push({ code, language, isPlace, typed });
  };
  for (const { iso2, name } of countries) {
    const [code3 = "", everyday = "", places = ""] = (PLACE_ROWS[iso2] ?? "").split(";");
    if (code3 !== "") alpha3.set(code3, iso2);
    add(iso2, "en", false, name);
    for (const one of everyday.split("|")) add(iso2, null, false, one);
    for (const one of places.split("|")) add(iso2, null, true, one);
  }
  addNamesOfCldr(add);
  known = { names, alpha3 };
  return known;
}

/** Names of the CLDR, long and short, in our languages. */
function addNamesOfCldr(add: (code: string, language: string, isPlace: boolean, name: string) => void): void {
  for (const language of languages)
    for (const style of ["long", "short"] as const) {
      const list = new Intl.DisplayNames([language], { type: "region", style, fallback: "none" });
      for (const { iso2 } of countries) if (ISO_CODE.test(iso2)) add(iso2, language, false, list.of(iso2) ?? "");
    }
}
