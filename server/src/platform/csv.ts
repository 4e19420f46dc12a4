/** A spreadsheet runs a cell that begins so as a formula; with apostrophes before it too, so that one taken off gives it back. */
const RUNS_AS_FORMULA = /^'*[=+\-@\t\r\0]/;
/** Begins with a plus and is harmless: stays as it is, so that other programs take it for a number to call. */
const PHONE_NUMBER = /^\+[0-9]{4,15}$/;
/** So does an amount below zero, or a spreadsheet could not add it up. */
const AMOUNT = /^-\d{1,16}\.\d{2,6}$/;

/** What spreadsheets need to read UTF-8. */
export const CSV_START = "\uFEFF";

/**
 * One record of a CSV file (RFC 4180), every cell quoted. What a spreadsheet would run as a formula gets an apostrophe in
 * front, which spreadsheets do not show.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(text: string): string {
  const safe = RUNS_AS_FORMULA.test(text) && !PHONE_NUMBER.test(text) && !AMOUNT.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
