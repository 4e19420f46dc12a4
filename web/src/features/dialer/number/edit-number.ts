import { countryByCode } from "@farline/domain/countries/countries.ts";

/** The text of the number field and the position of its caret. */
export interface NumberEdit {
  text: string;
  caret: number;
}

/** Characters that are dialled; all others are formatting. */
const SIGNIFICANT = /[\d+*#,;]/;
const NOT_SIGNIFICANT = /[^\d+*#,;]/g;

/** What a number is grouped with. Letters are not: a text without digits is typed and deleted letter by letter. */
const GROUPING = /[^\p{L}\p{N}+*#,;]/u;

/** Strips formatting characters from the number. */
export function significantPart(text: string): string {
  return text.replace(NOT_SIGNIFICANT, "");
}

/**
 * The field after an edit: the number in its country's grouping, with the caret after the same digit. Deleting a space also
 * deletes the digit before it, because the space alone would come back.
 */
export function reformatEdit(before: string, after: NumberEdit, format: (text: string) => string): NumberEdit {
  const { text, caret } = withoutOrphanedDigit(before, after, format);
  const ahead = significantPart(text.slice(0, caret)).length;
  const formatted = format(text);
  // Letters are not digits, so the caret cannot be placed by counting digits.
  if (formatted === text) return { text, caret };
  return { text: formatted, caret: caretBehind(formatted, ahead) };
}

/** Replaces the selection with `key`. */
export function insertKey(text: string, selection: { start: number; end: number }, key: string): NumberEdit {
  return { text: text.slice(0, selection.start) + key + text.slice(selection.end), caret: selection.start + key.length };
}

/** Deletes the selection, or the digit or letter before the caret. */
export function deleteBack(text: string, selection: { start: number; end: number }): NumberEdit {
  if (selection.start !== selection.end)
    return { text: text.slice(0, selection.start) + text.slice(selection.end), caret: selection.start };
  let at = selection.start - 1;
  while (at > 0 && GROUPING.test(text.charAt(at))) at -= 1;
  if (at < 0) return { text, caret: selection.start };
  return { text: text.slice(0, at) + text.slice(selection.start), caret: at };
}

function withoutOrphanedDigit(before: string, after: NumberEdit, format: (text: string) => string): NumberEdit {
  // Several characters at once mean that the same number was pasted without spaces.
  const wouldComeBack = after.text.length === before.length - 1 && format(after.text) === before;
  return wouldComeBack ? deleteBack(after.text, { start: after.caret, end: after.caret }) : after;
}

function caretBehind(text: string, significantAhead: number): number {
  let seen = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (seen === significantAhead) return at;
    if (SIGNIFICANT.test(text.charAt(at))) seen += 1;
  }
  return text.length;
}

type FormatAsTyped = (typed: string, countryCode: string | null) => string;

/**
 * Groups a number as people of its country write it: "20 000 0142" as well as "020 000 0142". The numbering plans know
 * many numbers only with a leading zero or country code, so a bare number is grouped as if it followed its country code.
 * A text with letters stays as it is, so that the caller sees what is wrong with it.
 */
export function groupNumber(text: string, countryCode: string, formatAsTyped: FormatAsTyped): string {
  if (!/^[\d\s()+./-]*$/.test(text)) return text;
  const digits = significantPart(text);
  const national = formatAsTyped(digits, countryCode);
  const dialCode = countryByCode(countryCode)?.dialCode;
  if (national !== digits || dialCode === undefined || /^[+0]/.test(digits)) return national;
  const behindCode = formatAsTyped(`+${dialCode}${digits}`, countryCode)
    .slice(dialCode.length + 1)
    .trimStart();
  return significantPart(behindCode) === digits ? behindCode : national;
}
