/** Zeros of the digits people type: full-width, Arabic, Persian and Urdu, Devanagari, Bengali. */
const ZEROS = [0xff10, 0x0660, 0x06f0, 0x0966, 0x09e6];

/** A text with the digits of every script as ASCII digits. */
export function asciiDigits(text: string): string {
  return text.replaceAll("\uff0b", "+").replace(/\p{Nd}/gu, (char) => {
    const code = char.codePointAt(0) as number;
    const zero = ZEROS.find((start) => code >= start && code <= start + 9);
    return zero === undefined ? char : String(code - zero);
  });
}
