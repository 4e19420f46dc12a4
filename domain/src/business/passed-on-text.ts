import { cleanLine } from "../clean-text.ts";

/** A greeting that comes with credit. */
export const MAX_GREETING_CHARS = 200;
/** Digits in a row, whatever but letters stands between them, and in all. A time or a year fits; a telephone number doesn't. */
const MAX_DIGITS_IN_A_ROW = 6;
const MAX_DIGITS = 10;

/** Neither shown nor read: joiners, soft hyphens, variation selectors and the like. They would hide a link from the checks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Full stops of all scripts, and letters that look like one. */
const FULL_STOPS = /[\u3002\u06D4\u0701\u0702\uA4F8\uA4FA]/gu;
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

/** What a stranger may be called in a mail, where a message in the name would be ours: letters, and little else. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}\p{M}\p{Nd}' ’-]+$/u.test(name) && readPassedOn(name, MAX_PLAIN_NAME_CHARS) !== null;
}
const MAX_PLAIN_NAME_CHARS = 40;

/** As others see a customer: the first word of the name, without what no name has. */
export function firstNameOf(name: string): string {
  const [first = ""] = name.normalize("NFKC").trim().split(/\s+/);
  return first.replaceAll(/[^\p{L}\p{M}'’-]/gu, "").slice(0, MAX_PLAIN_NAME_CHARS);
}

function hasNumber(seen: string): boolean {
  const digits = [...seen.replaceAll(/\p{M}/gu, "")]
    .map((sign) => (/\p{Nd}/u.test(sign) || HAN_DIGITS.includes(sign) ? "0" : /\p{L}/u.test(sign) ? "x" : ""))
    .join("");
  const runs = digits.split(/x+/).map((run) => run.length);
  return Math.max(...runs) > MAX_DIGITS_IN_A_ROW || runs.reduce((sum, run) => sum + run, 0) > MAX_DIGITS;
}
