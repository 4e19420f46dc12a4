import { plainDigits } from "../ascii-digits.ts";
import { readNumberText } from "./number-text.ts";

/** Digits with the separators that people type, and the direction marks of copied numbers. */
const LIKE_A_NUMBER = /^[+\p{Nd}\s\p{Cf}\p{Pd}().·•/]+$/u;
/** A zero that is dialled only within the country: "+44 (0) 20". */
const TRUNK_ZERO = /(\+[^(]*)\(\s*0\s*\)/;
/** Fewer would match almost any number. */
const MIN_DIGITS = 2;
/** A text with letters counts as a number only with at least this many digits: "Tel. 020 7946 0001", but not "Anna 22". */
const MIN_NUMBER_DIGITS = 5;

/**
 * The digits to search for in E.164 numbers, for a search text in national ("020 7946") or international format ("+44 20"), in digits of
 * any script. Null if the text is not a number or too short.
 */
export function searchedDigits(text: string): string | null {
  const typed = withoutLabels(text.normalize("NFKC").trim());
  if (!LIKE_A_NUMBER.test(typed)) return null;
  const digits = plainDigits(typed)
    .replace(TRUNK_ZERO, "$1")
    .replace(/[^0-9]/g, "")
    .replace(/^0+/, "");
  return digits.length >= MIN_DIGITS ? digits : null;
}

const START = /^(?:00)?([1-9]\d{0,14})$/;

/**
 * How E.164 numbers begin, as it is typed or pasted: "+44 20" and "0044 (0)20" are "+4420". Null for a national number, whose country is
 * not known, and for what is no number.
 */
export function searchedStart(text: string): string | null {
  const typed = text.normalize("NFKC").trim();
  if (!LIKE_A_NUMBER.test(typed)) return null;
  const digits = plainDigits(typed)
    .replace(TRUNK_ZERO, "$1")
    .replace(/[^0-9]/g, "");
  const start = START.exec(digits)?.[1];
  return start === undefined ? null : `+${start}`;
}

function withoutLabels(typed: string): string {
  if (LIKE_A_NUMBER.test(typed) || (typed.match(/\p{Nd}/gu)?.length ?? 0) < MIN_NUMBER_DIGITS) return typed;
  return readNumberText(typed).number;
}
