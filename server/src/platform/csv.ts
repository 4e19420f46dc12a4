import { type Language, writing } from "@farline/domain/languages.ts";

/** Spreadsheets run such cells as formulas. Cells with leading apostrophes match too, so that removing one restores the cell. */
const RUNS_AS_FORMULA = /^'*[=+\-@＝＋－＠\t\r\n\0]/;
/** Phone numbers, also with an extension, are harmless and stay unchanged, so that other programs recognise them. */
const PHONE_NUMBER = /^\+[0-9]{4,15}(?:,[0-9*#,]{1,31})?$/;
/** Negative amounts, in some currencies whole ones, stay unchanged too, so that spreadsheets can sum them. */
const AMOUNT = /^-\d{1,16}(?:\.\d{1,6})?$/;

/** Byte order mark, without which spreadsheets do not read UTF-8. */
export const CSV_START = "\uFEFF";

/**
 * One record of a CSV file (RFC 4180), every cell quoted. Cells that a spreadsheet would run as formulas get a leading
 * apostrophe, which spreadsheets hide.
 */
export function csvRecord(cells: readonly string[], separator: Separator = ","): string {
  return `${cells.map(cell).join(separator)}\r\n`;
}

type Separator = "," | ";";

/** The separator that spreadsheets expect in a language: a semicolon where the comma is the decimal sign. */
export function separatorIn(language: Language): Separator {
  const parts = new Intl.NumberFormat(writing[language].figures, { numberingSystem: "latn" }).formatToParts(1.5);
  return parts.some(({ type, value }) => type === "decimal" && value === ",") ? ";" : ",";
}

function cell(text: string): string {
  const safe = RUNS_AS_FORMULA.test(text) && !PHONE_NUMBER.test(text) && !AMOUNT.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
