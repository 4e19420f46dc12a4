const DECIMAL_DIGIT = /\p{Nd}/gu;
const IS_DIGIT = /^\p{Nd}$/u;
/** Plus signs: full width, superscript, subscript, small, Hebrew and emoji. */
const PLUS = /[\uff0b\u207a\u208a\ufe62\ufb29\u2795]/g;
/** Invisible characters: direction marks, joiners, soft hyphens, Hangul fillers, and what makes a keycap of a digit. */
const INVISIBLE = /[\u20e3\ufe0f\p{Cf}\u115f\u1160\u3164\uffa0]/gu;
/** What the hyphen's key types in Japanese and Korean, and other signs that look like one, between digits. */
const DASHES = /(?<=\d\s*)[\u30fc\uff70\u3161\u2500\u2501\u207b\u2043](?=\s*\d)/g;

/** Converts the digits, plus signs and hyphens between digits of every script to ASCII and removes invisible characters. */
export function asciiDigits(text: string): string {
  return plainDigits(text).replace(PLUS, "+").replace(INVISIBLE, "").replace(DASHES, "-");
}

/** Converts the decimal digits of every script to 0 to 9. */
export function plainDigits(text: string): string {
  return text.replace(DECIMAL_DIGIT, (digit) => String(digitValue(digit)));
}

/** Unicode assigns each set of digits ten consecutive code points, from 0 to 9. Sets may adjoin, as those of styled letters do. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) as number;
  let before = 0;
  while (IS_DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}
