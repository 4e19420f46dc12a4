import { cleanLine } from "../text/clean-text.ts";

/** A greeting that comes with credit. */
export const MAX_GREETING_CHARS = 200;
/** Digits in a row, whatever but letters stands between them, and in all. A time or a year fits; a telephone number doesn't. */
const MAX_DIGITS_IN_A_ROW = 6;
const MAX_DIGITS = 10;

/** Neither shown nor read: joiners, soft hyphens, variation selectors and the like. They would hide a link from the checks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Full stops of all scripts, and letters that look like one. */
const FULL_STOPS = /[\u3002\u06D4\u0701\u0702\uA4F8\uA4FA\uFF61]/gu;
const HAN_DIGITS = "零一二三四五六七八九";

/** All that may be in a text: letters, digits, marks, emoji, signs of currencies, and the punctuation of sentences. */
const ALLOWED =
  /^[\p{L}\p{Mn}\p{Mc}\p{Nd}\p{Sc}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator} .,!?¡¿:;'"‘’‚“”„«»()&\u2010-\u2015\u060C\u061B\u061F\u0964\u0965\u3001-]*$/u;
/** What joins two words without a space: domains and schemes are made of that. A time, 18:00 or 18.00, is no word. */
const JOINED = /[\p{L}\p{M}\p{N}][.:]+["'’)]*\p{L}|\p{N}[.:]\p{N}+[.:]+\p{N}/u;

/**
 * Reads a text of one line that one person writes and another reads, in a mail or on a page, which programs search for links and
 * telephone numbers. Only what is known to be harmless is allowed.
 * @param most characters
 * @returns null if it is longer, or may contain an address or a number. '' is none
 */
export function readPassedOn(typed: string, most: number): string | null {
  const text = cleanLine(typed.normalize("NFKC"));
  const seen = text.replace(UNSEEN, "").replace(FULL_STOPS, ".");
  const isHarmless = text.length <= most && ALLOWED.test(seen) && !JOINED.test(seen) && !hasNumber(seen);
  return isHarmless ? text : null;
}

/** Of a name as it is shown to others. */
const MAX_NAME_CHARS = 40;
/** Signs of names that would make a link or an address of what stands around them. */
const BINDING = /\s*([/@])\s*/g;
/** Signs that names do not need. */
const NOT_IN_NAMES =
  /[^\p{L}\p{Mn}\p{Mc}\p{Nd}\p{Sc}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Join_Control}\p{Variation_Selector} .,!?¡¿:;'"‘’‚“”„«»()&#*_+/@\u2010-\u2015-]/gu;
/** A full stop or colon before two letters, as in a domain; not that of initials, such as J.P. */
const BEFORE_WORD =
  /([.:])(?=[\p{Join_Control}\p{Variation_Selector}]*[\p{L}\p{N}][\p{M}\p{Join_Control}\p{Variation_Selector}]*[\p{L}\p{N}])/gu;
/** What programs make a link of, except in names with initials. */
const LINK = /[\p{L}\p{M}\p{N}][.:]+["'’)]*\p{L}[\p{M}]*[\p{L}\p{N}]|\S[/@]|[/@]\S|\p{N}[.:]\p{N}/u;

/** What a stranger's name may have besides letters, digits, marks and emoji. Sentences and addresses need more. */
const STRANGERS_NAME = /^[^!?¡¿:;/@#*_+$]*$/;

/**
 * A name that its reader gave, in which nothing becomes a link: a space comes into what would, so evil.com reads "evil. com". A
 * long one is cut.
 * @returns null if it may be a telephone number, or has no letter
 */
export function shownName(name: string): string | null {
  const open = cleanLine(nameSigns(name).replace(BINDING, " $1 ").replace(BEFORE_WORD, "$1 "));
  const seen = open.replace(UNSEEN, "");
  return /\p{L}/u.test(seen) && !LINK.test(seen) && !hasNumber(seen) ? cutName(open) : null;
}

/**
 * What a stranger is called in our mails, as people write names: "Dr. Mary St. John", "Kwame & Efua", "Ama (work) ❤️".
 * @returns null for what is no name: it could be a message that seems to be ours
 */
export function strangersName(name: string): string | null {
  const shown = shownName(name);
  return shown === cutName(nameSigns(name)) && STRANGERS_NAME.test(shown) ? shown : null;
}

function nameSigns(name: string): string {
  return cleanLine(name.normalize("NFKC").replace(FULL_STOPS, ".").replace(NOT_IN_NAMES, " "));
}

function cutName(name: string): string {
  const signs = [...name];
  if (signs.length <= MAX_NAME_CHARS) return name;
  const start = signs.slice(0, MAX_NAME_CHARS - 1).join("");
  return `${start.trimEnd()}…`;
}

/** As others see a customer: the first word of the name, with the next one after a title or initials; its letters if it is no name. */
export function firstNameOf(name: string): string {
  const shown = strangersName(name);
  if (shown === null) return (nameSigns(name).split(" ")[0] ?? "").replaceAll(/[^\p{L}\p{M}'’-]/gu, "").slice(0, MAX_NAME_CHARS);
  const words = shown.split(" ");
  const first = words.findIndex((word) => /\p{L}/u.test(word) && !word.endsWith("."));
  return words
    .slice(0, first === -1 ? words.length : first + 1)
    .join(" ")
    .replace(/[,;…]+$/u, "");
}

function hasNumber(seen: string): boolean {
  const digits = [...seen.replaceAll(/\p{M}/gu, "")]
    .map((sign) => (/\p{Nd}/u.test(sign) || HAN_DIGITS.includes(sign) ? "0" : /\p{L}/u.test(sign) ? "x" : ""))
    .join("");
  const runs = digits.split(/x+/).map((run) => run.length);
  return Math.max(...runs) > MAX_DIGITS_IN_A_ROW || runs.reduce((sum, run) => sum + run, 0) > MAX_DIGITS;
}
