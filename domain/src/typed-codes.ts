import { asciiDigits } from "./ascii-digits.ts";

/** Longest text in which a code is looked for: a whole message that was pasted. */
export const LONGEST_TYPED_CODE = 200;

/** A code's digits, as apps group them and people type them: with spaces, dashes or dots between. */
const DIGITS = /\d(?:[\s\p{Pd}._·]{0,3}\d)*/gu;
const NOT_DIGIT = /\D/g;

/** Crockford's letters, in four groups of four. */
const RECOVERY = /(?<![0-9A-Z])[0-9A-Z]{4}(?:[\s\p{Pd}]{0,3}[0-9A-Z]{4}){3}(?![0-9A-Z])/u;

const PROMO = /^[A-Z0-9][A-Z0-9-]{2,19}$/;
const LETTER = /[A-Z]/;
const SMALL_LETTER = /\p{Ll}/u;
const SPACE = /\s+/u;
const DASH = /\p{Pd}/gu;
/** Punctuation around a code in a sentence. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** Width and composition of the letters are those of the keyboard, and digits those of its script. */
function plain(typed: string): string {
  return asciiDigits(typed.normalize("NFKC")).trim();
}

/**
 * The digits of a code, in whatever script, grouping or sentence it was typed or pasted: "١٢٣ ٤٥٦", "12-34-56", "Your code is 123456."
 * Null if there is no such code, or more than one.
 */
export function readDigitCode(typed: string, length: { readonly least: number; readonly most: number }): string | null {
  const isOne = (digits: string): boolean => digits.length >= length.least && digits.length <= length.most;
  const found = [...plain(typed).matchAll(DIGITS)].map(([run]) => run.replace(NOT_DIGIT, "")).filter(isOne);
  const [code, other] = new Set(found);
  return code === undefined || other !== undefined ? null : code;
}

const CALL_CODE = { least: 4, most: 10 };

/** The digits that a call read out. */
export function readCallCode(typed: string): string | null {
  return readDigitCode(typed, CALL_CODE);
}

const APP_CODE = { least: 6, most: 6 };

/** A code of an authenticator app (6 digits), or a recovery code in groups of four with dashes. Null if there is neither. */
export function readSecondFactorCode(typed: string): string | null {
  const text = plain(typed).toUpperCase();
  const found = RECOVERY.exec(text)?.[0];
  // In a sentence, four words of four letters are no code.
  if (found === undefined || (found !== text && !/\d/.test(found))) return readDigitCode(typed, APP_CODE);
  return found.replace(/[^0-9A-Z]/g, "").replace(/(.{4})(?=.)/g, "$1-");
}

/** A promo code in capitals, also out of a sentence in which it alone is in capitals. Null if malformed. */
export function readPromoCode(typed: string): string | null {
  const text = plain(typed).replace(DASH, "-");
  const words = text.split(SPACE).map((word) => word.replace(AROUND, ""));
  const capitals = words.filter((word) => PROMO.test(word) && LETTER.test(word));
  const isSentence = capitals.length === 1 && words.some((word) => SMALL_LETTER.test(word));
  const code = isSentence ? (capitals[0] as string) : text.replace(/\s/gu, "").toUpperCase();
  return PROMO.test(code) ? code : null;
}
