import type { FileDecoder } from "../charset/file-decoder.ts";
import { mapDetails } from "../contact-details.ts";
import {
  type ColumnRole,
  contactFileLimits,
  type DamageKind,
  type FileColumn,
  type FileContact,
  type FileNumber,
  type FileProblem,
  type Reading,
  type RepairKind,
  type StatedCountry,
} from "../contact-file.ts";
import { finishContact, oneLine, multiLine, displayNames, splitName } from "../contact-texts.ts";
import { foldText } from "../fold-text.ts";
import { splitNumbers } from "../split-numbers.ts";
import { chooseColumns, looksLikeNumber, type PhoneColumn, type TableColumns, wholeNumber } from "./choose-columns.ts";
import { bothStated, statedCountry } from "../stated-country.ts";
import { readNumberText } from "../../numbers/number-text.ts";
import { isNotForVoice, phoneTypeOf } from "./phone-headers.ts";
import { readCsv, type CsvRow } from "./read-csv.ts";

/** Google's separator of several values in one cell. */
const SEVERAL = ":::";
/** The apostrophe that prevents a spreadsheet from evaluating a cell as a formula. */
const PROTECTED = /^'(?='*[=+\-@＝＋－＠\t\r\n\0])/;
const YES = /^(true|yes|y|1|x|\*|✓|starred|si|sì|oui|ja|tak|да|evet|हाँ|نعم|是)$/i;
const EXTENSION = /^\D{0,12}\d{1,8}$/;
/** The name of a last row that sums the others up. */
const TOTAL = new Set(
  "total|totals|sum|count|summe|gesamt|gesamtsumme|suma|totale|somme|totaal|razem|итого|всего|toplam|合计|合計|总计|합계|कुल|योग|المجموع|الإجمالي|الاجمالي"
    .split("|")
    .map(foldText),
);
/** Rows read ahead to decide the columns' roles. */
const ROWS_AHEAD = 50;

interface OpenedTable {
  readonly columns: readonly FileColumn[];
  readonly contacts: Reading<FileContact>;
}

/** Reads the first rows of a table and decides its columns' roles. */
export function* openContactTable(
  bytes: Uint8Array,
  decoder: FileDecoder,
  chosen: readonly ColumnRole[] | null,
): Generator<null, OpenedTable, void> {
  const rows = readCsv(bytes, decoder);
  const ahead: CsvRow[] = [];
  for (let next = rows.next(); ; next = rows.next()) {
    if (next.done !== true) {
      if (next.value !== null) ahead.push(next.value);
      if (ahead.length <= ROWS_AHEAD) {
        yield null;
        continue;
      }
    }
    if (ahead.length === 0) return { columns: [], contacts: finished(next.done === true ? next.value : null) };
    const columns = chooseColumns(
      ahead.map(({ cells }) => cells),
      chosen,
    );
    const rest = next.done === true ? finished<CsvRow>(next.value) : rows;
    return { columns: columns.columns, contacts: readContacts(ahead, rest, columns) };
  }
}

// oxlint-disable-next-line require-yield -- yields no rows
function* finished<Row>(problem: FileProblem | null): Reading<Row> {
  return problem;
}

function* readContacts(ahead: readonly CsvRow[], rest: Reading<CsvRow>, columns: TableColumns): Reading<FileContact> {
  const header = ahead[columns.headerAt];
  if (columns.phones.length === 0) return { kind: "no_phone_column", row: (header ?? ahead[0])?.row ?? 1 };
  const first = ahead.slice(columns.headerAt + 1);
  let isRagged = false;
  const read = (row: CsvRow) => {
    if (isNoContact(row, header)) return null;
    const contact = contactOf(row, columns, { header, isRagged });
    isRagged ||= row.cells.length < (header?.cells.length ?? 0);
    return contact;
  };
  for (const row of first) yield read(row);
  let count = first.length;
  for (let next = rest.next(); ; next = rest.next()) {
    if (next.done === true) return next.value;
    if (next.value === null) {
      yield null;
      continue;
    }
    count += 1;
    if (count > contactFileLimits.rows) return { kind: "too_many_rows", row: next.value.row };
    yield read(next.value);
  }
}

/** Whether a row repeats the header, as joined files and printed pages do, or is a line of dashes. */
function isNoContact({ cells }: CsvRow, header: CsvRow | undefined): boolean {
  if (cells.every((cell) => /^[\s:=_|-]*$/.test(cell))) return true;
  return header !== undefined && cells.every((cell, column) => oneLine(cell) === oneLine(header.cells[column] ?? ""));
}

interface Neighbours {
  readonly header: CsvRow | undefined;
  /** Whether an earlier row has fewer cells than the header, so that a short one says nothing. */
  readonly isRagged: boolean;
}

function contactOf(csvRow: CsvRow, columns: TableColumns, neighbours: Neighbours): FileContact {
  const { row, cells } = csvRow;
  const repairs = new Set<RepairKind>(csvRow.repairs);
  const lines = (index: number) => multiLine((cells[index] ?? "").replace(PROTECTED, ""));
  const text = (index: number) => oneLine((cells[index] ?? "").replace(PROTECTED, ""));
  const firstOf = (indexes: readonly number[]) => indexes.map(text).find(Boolean) ?? "";
  const names = namesOf(columns, text);
  const numbers = columns.phones.flatMap((phone) => numbersOf(phone, { text, lines, repairs }));
  if (columns.fax.some((index) => text(index) !== "")) repairs.add("fax_left_out");
  return finishContact({
    row,
    ...names,
    ...mapDetails((detail) => firstOf(columns.details[detail])),
    email: firstOf(columns.email).split(SEVERAL, 1)[0]?.trim() ?? "",
    notes: columns.notes.map(lines).filter(Boolean).join("\n"),
    favorite: columns.favorite.some((index) => YES.test(text(index)) || /\bstarred\b/i.test(text(index))),
    numbers: TOTAL.has(foldText(names.firstName)) ? numbers.filter((number) => number.text.startsWith("+")) : numbers,
    repairs: [...repairs],
    damage: damageOf(csvRow, columns, neighbours),
  });
}

/** Whether a row holds part of another one, or ends within a number. */
function damageOf(
  { cells, isCut, delimiter }: CsvRow,
  columns: TableColumns,
  { header, isRagged }: Neighbours,
): DamageKind | null {
  const width = header?.cells.length ?? cells.length;
  const holdsAnother = cells.some((cell, index) => {
    if (index >= width && columns.columns[index]?.role === "ignore") return looksLikeNumber(cell);
    if (!cell.includes("\n") && !cell.includes("\r")) return false;
    const least = columns.notes.includes(index) ? width : 2;
    // A quotation mark that never closes makes the following rows lines of a cell.
    return cell.split(/[\r\n]+/).some((line) => isRow(line.split(delimiter), least));
  });
  if (holdsAnother) return "two_people";
  const endsInNumber = columns.phones.some(({ column }) => column === cells.length - 1);
  return isCut && endsInNumber && cells.length < width && !isRagged ? "cut_off" : null;
}

/**
 * The names of a row. A "Name" column is the full name alone or with both of the others, the given name with a family-name column
 * ("Name, Surname"), and the family name with a given-name column ("Name; Vorname").
 */
function namesOf(columns: TableColumns, text: (index: number) => string): { firstName: string; lastName: string } {
  const joined = (indexes: readonly number[]) => [...new Set(indexes.map(text).filter(Boolean))].join(" ");
  const given = joined(columns.first);
  const family = joined(columns.last);
  const full = columns.full.map(text).find(Boolean) ?? "";
  if (full === "" || (columns.first.length > 0 && columns.last.length > 0 && given + family !== ""))
    return displayNames({ firstName: given, lastName: family });
  const part = given + family;
  if (part === "" || ` ${foldText(full)} `.includes(` ${foldText(part)} `)) return splitName(full);
  return displayNames(family === "" ? { firstName: given, lastName: full } : { firstName: full, lastName: family });
}

/** Whether the parts of a line are a name and a number. */
function isRow(parts: readonly string[], width: number): boolean {
  const isName = (part: string) => /\p{L}/u.test(part) && !looksLikeNumber(part);
  return parts.length >= width && parts.some(looksLikeNumber) && parts.some(isName);
}

interface RowTexts {
  readonly text: (index: number) => string;
  readonly lines: (index: number) => string;
  readonly repairs: Set<RepairKind>;
}

function numbersOf(phone: PhoneColumn, { text, lines, repairs }: RowTexts): FileNumber[] {
  const label = phone.typeColumn === null ? "" : text(phone.typeColumn);
  const type = label === "" ? phone.type : phoneTypeOf(label);
  const all = splitNumbers(wholeNumber(lines(phone.column)));
  const found = isNotForVoice(label) ? [] : all.filter((number) => !isNotForVoice(number.label));
  if (found.length < all.length) repairs.add("fax_left_out");
  if (found.length > 1) repairs.add("numbers_split");
  const filled = (indexes: readonly number[]) => indexes.map((index) => wholeNumber(text(index))).filter((cell) => cell !== "");
  const areas = filled(phone.areas);
  const isDialCode = (area: string) => /^\s*(?:\+|00)/.test(area);
  const countries = [...filled(phone.countries), ...areas.filter(isDialCode)];
  const stated = statedBy(countries, false) ?? statedBy(filled(phone.addressCountries), true);
  const area = areas.find((one) => !isDialCode(one)) ?? "";
  const extension = filled(phone.extensions)[0] ?? "";
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0 && EXTENSION.test(extension) && readNumberText(only.text).extension === "")
    return [{ text: `${withArea(only.text, area)} ext. ${extension.replace(/\D/g, "")}`, type, stated }];
  if (/\d/.test(extension)) repairs.add("extension_left_out");
  return found.map((number) => ({ text: withArea(number.text, area), type, stated }));
}

function statedBy(cells: readonly string[], isAddress: boolean): StatedCountry | null {
  const stated = cells.flatMap((cell) => statedCountry(cell, isAddress) ?? []);
  return stated.length === 0 ? null : stated.reduce(bothStated);
}

/** A number behind its area code, unless it has one or a country code. */
function withArea(number: string, area: string): string {
  const digits = area.replace(/\D/g, "");
  const significant = (text: string) => text.replace(/\D/g, "").replace(/^0+/, "");
  const isWhole = /^\s*(?:\+|00)/.test(number) || significant(number).startsWith(significant(digits));
  return digits === "" || isWhole ? number : `${digits} ${number}`;
}
