import { countryByCode } from "../countries/countries.ts";
import { findFormerPlan, type Renumbering } from "./former-formats.ts";
import {
  ambiguous,
  dialCodeOf,
  isInternational,
  isUsable,
  type NumberChoice,
  type ReadNumber,
  readNumber,
  resolve,
  withoutInternationalPrefix,
  withoutZeroBehind,
} from "./number-plans.ts";
import { EXTENSION_WORDS, GROUPING, MAX_NUMBER_TEXT_LENGTH, plainText, readNumberText } from "./number-text.ts";

/** A number of a former plan, with what it is today; no choices where the rule is not known. */
interface RenumberedNumber {
  readonly ok: false;
  readonly problem: "renumbered";
  readonly renumbering: Renumbering;
  readonly choices: readonly NumberChoice[];
}

export type NormalizedNumber = ReadNumber | RenumberedNumber;

/** Why a text cannot be called. */
export type NumberProblem = Extract<NormalizedNumber, { ok: false }>["problem"];

/** What `readNumber` says of numbers that may be from a former plan. */
const MAYBE_FORMER: ReadonlySet<NumberProblem> = new Set(["impossible", "short_code", "ambiguous"]);

/**
 * Normalises typed, pasted or imported text to an E.164 number. Contacts, rate look-up, calls and imports use the same function, so that
 * the number shown is the number charged. The parameters are those of `readNumber`.
 *
 * The numbers of a text with several are `ambiguous`. A number that is in use today is that number, whatever it was before; only others
 * may be from a former plan, which is never dialled.
 */
export function normalizeNumber(
  typed: string,
  selectedCountry: string | null,
  homeCountry: string | null = null,
): NormalizedNumber {
  if (typed.length > MAX_NUMBER_TEXT_LENGTH) return { ok: false, problem: "invalid" };
  const { texts, behind } = separateNumbers(typed);
  const [text = "", ...others] = texts;
  const first = normalizeSingle(text, selectedCountry, homeCountry);
  if (others.length === 0) return first;
  const joined = behind === "number" ? null : normalizeSingle(joinedText(texts), selectedCountry, homeCountry);
  if (joined !== null && meantBy(first).length === 0) return joined;
  const country = selectedCountry ?? (first.ok ? first.countryCode : null);
  const numbers = [first, ...others.map((other) => normalizeSingle(other, country, homeCountry))];
  const all = behind === "digits" && joined !== null ? [...numbers, joined] : numbers;
  const meant = new Map(all.flatMap(meantBy).map((number) => [number.e164, number]));
  if (meant.size === 0) return { ok: false, problem: "invalid" };
  return meant.size === 1 && first.ok && numbers.every((one) => one.ok && one.valid) ? first : ambiguous(...meant.values());
}

function meantBy(number: NormalizedNumber): readonly NumberChoice[] {
  if (number.ok) return number.valid ? [number] : [];
  return "choices" in number ? number.choices : [];
}

function normalizeSingle(typed: string, selectedCountry: string | null, homeCountry: string | null): NormalizedNumber {
  const text = readNumberText(typed).number;
  const word = phonewordDigits(text, selectedCountry);
  const number =
    word === null
      ? (readOddPlus(text, selectedCountry) ?? readNumber(typed, selectedCountry, homeCountry))
      : readNumber(word, selectedCountry, homeCountry);
  if (number.ok && number.valid) return acrossIrishBorder(number.e164) ?? asRenumbered(number.e164.slice(1), true) ?? number;
  if (!number.ok && !MAYBE_FORMER.has(number.problem)) return number;
  const written = internationalDigits(text, selectedCountry);
  const today = written.flatMap((digits) => withoutWrittenPrefix(digits) ?? []).map((digits) => readNumber(`+${digits}`, null));
  const plain = today.find(isUsable);
  if (plain !== undefined) {
    const abroad = meantBy(number)
      .map(({ e164 }) => readNumber(e164, null))
      .find(isUsable);
    return abroad === undefined ? plain : resolve(text, plain, abroad);
  }
  for (const digits of written) {
    const former = asRenumbered(digits, false);
    if (former === null) continue;
    if (number.ok || number.problem !== "ambiguous") return former;
    return { ...number, choices: [...number.choices, ...former.choices] };
  }
  return number;
}

/**
 * Ireland dials Northern Ireland as 048 instead of +44 28. The plan lists these numbers as Irish, but from abroad they reach nobody
 * (ComReg, National Numbering Scheme). Asks whether the British number is meant; null for other numbers.
 */
function acrossIrishBorder(e164: string): ReadNumber | null {
  if (!/^\+35348\d{8}$/.test(e164)) return null;
  const british = readNumber(e164.replace("+35348", "+4428"), null);
  return isUsable(british) ? ambiguous(british) : null;
}

function asRenumbered(digits: string, isListed: boolean): RenumberedNumber | null {
  const found = findFormerPlan(digits, isListed);
  return found === null ? null : { ok: false, problem: "renumbered", ...found };
}

/** What the digits of a number may be with a country code, whether or not it is in use. */
function internationalDigits(text: string, selectedCountry: string | null): readonly string[] {
  if (/[^\d\s()+./-]/.test(text)) return [];
  const digits = text.replace(/\D/g, "");
  const behindCode = isInternational(text) ? digits : withoutInternationalPrefix(digits, selectedCountry);
  if (behindCode !== null) return [behindCode, withoutZeroBehind(dialCodeOf(behindCode) ?? "", behindCode)];
  const dialCode = countryByCode(selectedCountry ?? "")?.dialCode;
  return dialCode === undefined ? [] : [dialCode + digits, dialCode + digits.replace(/^0/, "")];
}

/** Prefixes that calls from inside the country needed, which people also write behind its code. */
const WRITTEN_PREFIXES: readonly (readonly [written: RegExp, number: string])[] = [
  // Mexico: dialled before mobiles, and before all numbers from other areas, until August 2019 (IFT).
  [/^52(?:1|01|044|045)(\d{10})$/, "52$1"],
  // Argentina: 15 is dialled before mobiles behind the area code; from abroad 9 before the area code says the same.
  [/^549?(?=\d{12}$)(11|[23]\d{2,3})15(\d{6,8})$/, "549$1$2"],
];

/** Removes a prefix that only calls from inside the country need; null without one. */
function withoutWrittenPrefix(digits: string): string | null {
  for (const [written, number] of WRITTEN_PREFIXES) if (written.test(digits)) return digits.replace(written, number);
  return null;
}

/**
 * A plus together with an exit code means the exit code, because no calling code starts with a zero; +8 means Russia's own prefix. Null
 * for other texts.
 */
function readOddPlus(written: string, selectedCountry: string | null): ReadNumber | null {
  const text = written.replace(/^[\s(]*(?:00(?:11)?|011)[\s)]*(?=\+)/, "");
  if (text !== written) return readNumber(text, null);
  const digits = text.replace(/\D/g, "");
  if (!isInternational(text) || /\d.*\+/.test(text)) return null;
  if (digits.startsWith("0")) {
    const abroad = readNumber(digits.replace(/^0+(?:11)?/, "+"), null);
    if (isUsable(abroad) && /^0(?:0|11)/.test(digits)) return abroad;
    const national = selectedCountry === null ? null : readNumber(digits, selectedCountry);
    const meant = [national, abroad].filter(isUsable);
    return meant.length > 0 ? ambiguous(...meant) : null;
  }
  const isGrouped = /\+\s*8[\s(-]/.test(text);
  if (!/^8\d{10}$/.test(digits) || !(isGrouped || dialCodeOf(digits) === null)) return null;
  const russian = readNumber(digits.replace("8", "+7"), null);
  if (!isUsable(russian)) return null;
  const number = readNumber(text, null);
  return isUsable(number) ? ambiguous(russian, number) : russian;
}

/** What stands between two groups of digits. A plus starts a number. */
const GAP = /(\D+)/;
/** Fewer digits than these are an area code, an extension or a house number, not a whole number. */
const MIN_WHOLE_DIGITS = 7;
const MIN_WHOLE_INTERNATIONAL_DIGITS = 8;
/** As many digits before a slash as behind it are the ends of two numbers, but not fewer than these. */
const MIN_LOCAL_DIGITS = 4;
/** A shorter number before a slash may be the beginning of one that goes on behind it. */
const MIN_LISTED_DIGITS = 9;
/** Never stands in front of tones. */
const STARTS_NUMBER = /[+\p{L}\n]/u;
const NOT_GROUPING = new RegExp(`[^${GROUPING}]`, "u");
const ENDS_WITH_EXTENSION = new RegExp(
  String.raw`(?:(?<!\p{L})(?:${EXTENSION_WORDS}|ext=|isub=|postd=|p|w)|[*#])[\s.:=#*,;-]*$`,
  "iu",
);

/** What follows a number: another, the end of another in the same place ("2345 6789/6780"), or maybe its own last digits ("901820/21"). */
type Behind = "number" | "local" | "digits";

/** The numbers of a text, and the least that is sure about what follows the first. */
interface SeparateNumbers {
  readonly texts: readonly string[];
  readonly behind: Behind;
}

/**
 * Separates the numbers of a text at whatever people write between two: a new line, a tab, a comma, a word, a second plus. Two
 * numbers that are joined would call a stranger.
 */
function separateNumbers(typed: string): SeparateNumbers {
  const [start = "", ...rest] = plainText(typed).split(GAP);
  const texts = [start];
  let surest: Behind = "number";
  for (let at = 0; at < rest.length; at += 2) {
    const [gap = "", next = ""] = rest.slice(at, at + 2);
    const current = texts.at(-1) ?? "";
    const behind = next === "" || !isWhole(current) ? null : behindGap(current, gap, rest.slice(at + 1));
    if (behind === null) texts[texts.length - 1] = current + gap + next;
    else {
      if (behind === "digits" || surest === "number") surest = behind;
      texts[texts.length - 1] = current + (/^\s*[)\]]/.exec(gap)?.[0] ?? "");
      // The plus and the bracket belong to the number that they open; no code starts with a zero.
      texts.push((next.startsWith("0") ? /\($/ : /[(+][\s(+]*$/).exec(gap)?.[0].concat(next) ?? next);
    }
  }
  return { texts: texts.length === 1 ? [typed] : texts, behind: surest };
}

/** Null if the gap does not separate numbers. */
function behindGap(before: string, gap: string, behind: readonly string[]): Behind | null {
  if (ENDS_WITH_EXTENSION.test(gap) || (/[,;]/.test(before) && !STARTS_NUMBER.test(gap))) return null;
  const end = behind.findIndex((one, at) => at % 2 === 1 && (isSeparator(one) || /[*#,;]/.test(one)));
  const next = (/\+\s*\(?\s*$/.exec(gap)?.[0] ?? "") + behind.slice(0, end === -1 ? behind.length : end).join("");
  const isNextWhole = isWhole(next);
  const pauses = gap.replace(/[^,;]/g, "").length;
  // Tones have a second pause, a key or few digits (`readNumberText`).
  if (pauses > 0 && !STARTS_NUMBER.test(gap))
    return isNextWhole && pauses === 1 && !/[*#]/.test(behind.join("")) ? "number" : null;
  if (!isSeparator(gap) && !NOT_GROUPING.test(gap)) return null;
  if (isNextWhole) return gap.trim() === "/" && before.replace(/\D/g, "").length < MIN_LISTED_DIGITS ? "local" : "number";
  if (/[\p{L}+]/u.test(gap)) return null;
  const local = /^\d+/.exec(next)?.[0].length ?? 0;
  return local >= MIN_LOCAL_DIGITS && local === /\d+$/.exec(before)?.[0].length ? "local" : "digits";
}

function isSeparator(gap: string): boolean {
  return /[\n\t|&/\\+\p{L}(]|\s{2}/u.test(gap) || /[,;]/.test(gap);
}

/** As one number, without what stood between its parts. */
function joinedText([first = "", ...others]: readonly string[]): string {
  return [first, ...others.map((other) => other.replace(/^\(+/, ""))].join(" ");
}

function isWhole(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  return digits >= (text.includes("+") ? MIN_WHOLE_INTERNATIONAL_DIGITS : MIN_WHOLE_DIGITS);
}

/** Keys of the letters (ITU-T E.161). */
const KEYS_OF_LETTERS = "22233344455566677778889999";
const LETTERS = /[a-z]/gi;
/** Where letters are dialled, with a prefix of numbers that companies spell and the digits behind it; more letters are not dialled. */
const PHONEWORDS: readonly { readonly dialCode: string; readonly form: RegExp }[] = [
  { dialCode: "1", form: /^(?:\+?1[\s.-]*)?\(?(?:8(?:00|([2-8])\1)|900)\)?[\s.-]*(?<word>(?:[\da-z][\s.-]*){7})/i },
  { dialCode: "1", form: /^(?:\+?1[\s.-]*)?\(?[2-9]\d{2}\)?[\s.-]*(?<word>(?:[\dA-Z][\s.-]*){7})$/ },
  {
    dialCode: "61",
    form: /^(?:\+?61[\s-]*)?(?:1[38]00[\s-]*(?<word>(?:[\da-z][\s.-]*){6})|13[\s-]*(?<short>(?:[\da-z][\s.-]*){4}))/i,
  },
  { dialCode: "64", form: /^(?:\+?64[\s-]*|0)(?:800|508)[\s-]*(?<word>(?:[\da-z][\s.-]*){6,7})/i },
];
/** Fewer are a name or a mark. */
const MIN_LETTERS = 3;

/** A number that spells a word, in digits: 1-800-FLOWERS is 1-800-3569377. Null for other texts and where no letters are dialled. */
function phonewordDigits(text: string, selectedCountry: string | null): string | null {
  if ((text.match(LETTERS)?.length ?? 0) < MIN_LETTERS || /[^\w\s()+.-]/.test(text)) return null;
  const chosen = countryByCode(selectedCountry ?? "")?.dialCode;
  for (const { dialCode, form } of PHONEWORDS) {
    if (!text.startsWith(`+${dialCode}`) && dialCode !== chosen) continue;
    const found = form.exec(text);
    const word = found?.groups?.["word"] ?? found?.groups?.["short"] ?? "";
    // Behind a complete number, letters are a name.
    if (found === null || !/[a-z]/i.test(word) || /\d/.test(text.slice(found[0].length))) continue;
    return found[0].replace(LETTERS, (letter) => KEYS_OF_LETTERS.charAt(letter.toUpperCase().charCodeAt(0) - 65));
  }
  return null;
}
