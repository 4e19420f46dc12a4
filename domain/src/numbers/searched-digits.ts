/** Separators that people type between digits. */
const LIKE_A_NUMBER = /^[+\p{Nd}\s().\-/]+$/u;
/** Fewer would match almost any number. */
const FEWEST_DIGITS = 2;

/**
 * The digits to look for inside E.164 numbers when somebody searches by a number, written at home ("020 7946") or abroad
 * ("+44 20"). Null when the text is no number, or too short a part of one.
 */
export function searchedDigits(text: string): string | null {
  if (!LIKE_A_NUMBER.test(text)) return null;
  const digits = text.replace(/[^0-9]/g, "").replace(/^0+/, "");
  return digits.length >= FEWEST_DIGITS ? digits : null;
}
