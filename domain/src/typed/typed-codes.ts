import { asciiDigits } from "../ascii-digits.ts";

/** Users may paste a whole message that contains a code. */
export const MAX_TYPED_CODE_LENGTH = 200;

/** Digits of a code, possibly grouped by spaces, dashes or dots. */
const DIGITS = /\d(?:[\s\p{Pd}._·]{0,3}\d)*/gu;
const NOT_DIGIT = /\D/g;

/** Crockford's alphabet, in four groups of four. */
const RECOVERY = /(?<![0-9A-Z])[0-9A-Z]{4}(?:[\s\p{Pd}]{0,3}[0-9A-Z]{4}){3}(?![0-9A-Z])/u;

const PROMO = /^[A-Z0-9][A-Z0-9-]{2,19}$/;
const LETTER = /[A-Z]/;
const SMALL_LETTER = /\p{Ll}/u;
const SPACE = /\s+/u;
const DASH = /\p{Pd}/gu;
/** Punctuation around a code in a sentence. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** Normalises full-width letters, Unicode composition and digits of any script. */
function plain(typed: string): string {
  return asciiDigits(typed.normalize("NFKC")).trim();
}

/**
 * Finds a code's digits in any script, grouping or sentence: "١٢٣ ٤٥٦", "12-34-56", "Your code is 123456." Null if there is no such code,
 * or more than one.
 */
export function readDigitCode(typed: string, length: { readonly min: number; readonly max: number }): string | null {
  const isOne = (digits: string): boolean => digits.length >= length.min && digits.length <= length.max;
  const found = [...plain(typed).matchAll(DIGITS)].map(([run]) => run.replace(NOT_DIGIT, "")).filter(isOne);
  const [code, other] = new Set(found);
  return code === undefined || other !== undefined ? null : code;
}

const CALL_CODE = { min: 4, max: 10 };

/** Parses the code that was read out in a call. */
export function readCallCode(typed: string): string | null {
  return readDigitCode(typed, CALL_CODE);
}

const APP_CODE = { min: 6, max: 6 };

/** Parses the 6 digits of an authenticator app, or a recovery code, returned in groups of four with dashes. Null if there is neither. */
export function readSecondFactorCode(typed: string): string | null {
  const text = plain(typed).toUpperCase();
  const found = RECOVERY.exec(text)?.[0];
  // In a sentence, four words of four letters are not a code.
  if (found === undefined || (found !== text && !/\d/.test(found))) return readDigitCode(typed, APP_CODE);
  return found.replace(/[^0-9A-Z]/g, "").replace(/(.{4})(?=.)/g, "$1-");
}

/** Parses a promo code, also from a sentence in which it is the only upper-case word. Null if malformed. */
export function readPromoCode(typed: string): string | null {
  const text = plain(typed).replace(DASH, "-");
  const words = text.split(SPACE).map((word) => word.replace(AROUND, ""));
  const capitals = words.filter((word) => PROMO.test(word) && LETTER.test(word));
  const isSentence = capitals.length === 1 && words.some((word) => SMALL_LETTER.test(word));
  const code = isSentence ? (capitals[0] as string) : text.replace(/\s/gu, "").toUpperCase();
  return PROMO.test(code) ? code : null;
}
