import { plainDigits } from "../ascii-digits.ts";
import { readNumberText } from "./number-text.ts";

/** Separators that people type or paste between digits, and marks of direction that copied numbers carry. */
const LIKE_A_NUMBER = /^[+\p{Nd}\s\p{Cf}\p{Pd}().·•/]+$/u;
/** Written before an area code for callers within the country: "+44 (0) 20". */
const TRUNK_ZERO = /(\+[^(]*)\(\s*0\s*\)/;
/** Fewer would match almost any number. */
const FEWEST_DIGITS = 2;
/** A text with letters is searched for a number only if it has so many digits: "Tel. 020 7946 0001", but not "Anna 22". */
const DIGITS_OF_NUMBER = 5;

/**
 * The digits to look for inside E.164 numbers when somebody searches by a number, written at home ("020 7946") or abroad
 * ("+44 20"), in the digits of any script. Null when the text is no number, or too short a part of one.
 */
export function searchedDigits(text: string): string | null {
  const typed = withoutLabels(text.normalize("NFKC").trim());
  if (!LIKE_A_NUMBER.test(typed)) return null;
  const digits = plainDigits(typed)
    .replace(TRUNK_ZERO, "$1")
    .replace(/[^0-9]/g, "")
    .replace(/^0+/, "");
  return digits.length >= FEWEST_DIGITS ? digits : null;
}

function withoutLabels(typed: string): string {
  if (LIKE_A_NUMBER.test(typed) || (typed.match(/\p{Nd}/gu)?.length ?? 0) < DIGITS_OF_NUMBER) return typed;
  return readNumberText(typed).number;
}
