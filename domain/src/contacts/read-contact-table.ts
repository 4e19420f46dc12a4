import { contactFileLimits, MOST_NUMBERS_OF_CONTACT } from "./contact-limits.ts";
import {
  oneLine,
  severalLines,
  splitName,
  withFirstName,
  type FileContact,
  type FileNumber,
  type Reading,
} from "./contact-file.ts";
import { guessColumns, phoneTypeOf, readHead, type CsvColumns, type PhoneColumn } from "./csv-columns.ts";
import { readCsv, type CsvRow } from "./read-csv.ts";

/** Google separates several values in one cell with this. */
const SEVERAL = ":::";
/** Removes the apostrophe that stops a spreadsheet from running a cell as a formula. */
const PROTECTED = /^'(?='*[=+\-@\t\r\0])/;
const YES = /^(true|yes|y|1|x|\*|starred|si|oui|ja|हाँ|نعم)$/i;

/** Reads a table of contacts, one row per person. Columns are found by header, or by content without headers. */
export function* readContactTable(text: string): Reading<FileContact> {
  const rows = readCsv(text);
  const head = rows.next();
  if (head.done === true) return head.value;
  const named = readHead(head.value.cells);
  const columns = named.phones.length > 0 ? named : guessColumns(head.value.cells);
  if (columns === null) return { kind: "no_phone_column", row: head.value.row };
  let read = 0;
  for (let next = columns === named ? rows.next() : head; ; next = rows.next()) {
    if (next.done === true) return next.value;
    read += 1;
    if (read > contactFileLimits.rows) return { kind: "too_many_rows", row: next.value.row };
    yield contactOf(next.value, columns);
  }
}

function contactOf({ row, cells }: CsvRow, columns: CsvColumns): FileContact {
  const text = (index: number) => oneLine((cells[index] ?? "").replace(PROTECTED, ""));
  const joined = (indexes: readonly number[]) => indexes.map(text).filter(Boolean).join(" ");
  const firstOf = (indexes: readonly number[]) => indexes.map(text).find(Boolean) ?? "";
  const parts = { firstName: joined(columns.first), lastName: joined(columns.last) };
  const names = parts.firstName === "" && parts.lastName === "" ? splitName(firstOf(columns.full)) : parts;
  return {
    row,
    ...withFirstName({ ...names, company: firstOf(columns.company) }),
    email: firstOf(columns.email).split(SEVERAL, 1)[0]?.trim() ?? "",
    notes: columns.notes
      .map((index) => severalLines((cells[index] ?? "").replace(PROTECTED, "")))
      .filter(Boolean)
      .join("\n"),
    favorite:
      columns.favorite.some((index) => YES.test(text(index))) || columns.labels.some((index) => /\bstarred\b/i.test(text(index))),
    numbers: columns.phones.flatMap((phone) => numbersOf(phone, text)).slice(0, MOST_NUMBERS_OF_CONTACT),
  };
}

function numbersOf(phone: PhoneColumn, text: (index: number) => string): FileNumber[] {
  const label = phone.typeColumn === null ? "" : text(phone.typeColumn);
  const type = label === "" ? phone.type : phoneTypeOf(label);
  return text(phone.column)
    .split(SEVERAL)
    .map((one) => one.trim())
    .filter(Boolean)
    .map((number) => ({ text: number, type }));
}
