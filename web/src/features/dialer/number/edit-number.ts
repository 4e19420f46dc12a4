/** A text in the number field and where its caret stands. */
export interface NumberEdit {
  text: string;
  caret: number;
}

/** What counts in a number; all the rest is there for the eye. */
const SIGNIFICANT = /[\d+*#,;]/;
const NOT_SIGNIFICANT = /[^\d+*#,;]/g;

/** Strips formatting characters from the number. */
export function significantPart(text: string): string {
  return text.replace(NOT_SIGNIFICANT, "");
}

/**
 * What the field shows after a change by hand: the number in its country's grouping, the caret behind the same digit.
 * Taking away a space takes the digit before it as well; else it would come back at once.
 */
export function reformatEdit(before: string, after: NumberEdit, format: (text: string) => string): NumberEdit {
  const { text, caret } = withoutOrphanedDigit(before, after);
  const ahead = significantPart(text.slice(0, caret)).length;
  const formatted = format(text);
  // Also a text with letters, among which the caret has no digit to stand behind.
  if (formatted === text) return { text, caret };
  return { text: formatted, caret: caretBehind(formatted, ahead) };
}

/** Puts `key` in place of the selection, as the field itself would. */
export function insertKey(text: string, selection: { start: number; end: number }, key: string): NumberEdit {
  return { text: text.slice(0, selection.start) + key + text.slice(selection.end), caret: selection.start + key.length };
}

/** Takes the selection away, or the last digit before the caret. */
export function deleteBack(text: string, selection: { start: number; end: number }): NumberEdit {
  if (selection.start !== selection.end)
    return { text: text.slice(0, selection.start) + text.slice(selection.end), caret: selection.start };
  let at = selection.start - 1;
  while (at > 0 && !SIGNIFICANT.test(text.charAt(at))) at -= 1;
  if (at < 0) return { text, caret: selection.start };
  return { text: text.slice(0, at) + text.slice(selection.start), caret: at };
}

function withoutOrphanedDigit(before: string, after: NumberEdit): NumberEdit {
  // More than one at a time is no key: the same number was pasted over itself, written without spaces.
  const onlySpaceWent = after.text.length === before.length - 1 && significantPart(after.text) === significantPart(before);
  return onlySpaceWent ? deleteBack(after.text, { start: after.caret, end: after.caret }) : after;
}

function caretBehind(text: string, significantAhead: number): number {
  let seen = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (seen === significantAhead) return at;
    if (SIGNIFICANT.test(text.charAt(at))) seen += 1;
  }
  return text.length;
}
