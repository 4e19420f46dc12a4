import type { FileDecoder } from "../charset/file-decoder.ts";
import { mapDetails } from "../contact-details.ts";
import {
  type ColumnRole,
  contactFileLimits,
  type FileColumn,
  type FileContact,
  type FileNumber,
  type FileProblem,
  type Reading,
  type RepairKind,
} from "../contact-file.ts";
import { finishContact, oneLine, multiLine, displayNames, splitName } from "../contact-texts.ts";
import { foldText } from "../fold-text.ts";
import { splitNumbers } from "../split-numbers.ts";
import { chooseColumns, type PhoneColumn, type TableColumns } from "./choose-columns.ts";
import { phoneTypeOf } from "./phone-headers.ts";
import { readCsv, type CsvRow } from "./read-csv.ts";

/** Google's separator of several values in one cell. */
const SEVERAL = ":::";
/** The apostrophe that prevents a spreadsheet from evaluating a cell as a formula. */
const PROTECTED = /^'(?='*[=+\-@＝＋－＠\t\r\n\0])/;
const YES = /^(true|yes|y|1|x|\*|✓|starred|si|sì|oui|ja|tak|да|evet|हाँ|نعم|是)$/i;
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
  const [head, ...others] = ahead;
  if (columns.phones.length === 0) return { kind: "no_phone_column", row: head?.row ?? 1 };
  const first = columns.hasHeader ? others : ahead;
  for (const row of first) yield contactOf(row, columns);
  let read = first.length;
  for (let next = rest.next(); ; next = rest.next()) {
    if (next.done === true) return next.value;
    if (next.value === null) {
      yield null;
      continue;
    }
    read += 1;
    if (read > contactFileLimits.rows) return { kind: "too_many_rows", row: next.value.row };
    yield contactOf(next.value, columns);
  }
}

function contactOf({ row, cells, repairs: mended }: CsvRow, columns: TableColumns): FileContact {
  const repairs = new Set<RepairKind>(mended);
  const text = (index: number) => oneLine((cells[index] ?? "").replace(PROTECTED, ""));
  const firstOf = (indexes: readonly number[]) => indexes.map(text).find(Boolean) ?? "";
  const numbers = columns.phones.flatMap((phone) => {
    const found = numbersOf(phone, text);
    if (found.length > 1) repairs.add("numbers_split");
    return found;
  });
  if (columns.fax.some((index) => text(index) !== "")) repairs.add("fax_left_out");
  return finishContact({
    row,
    ...namesOf(columns, text),
    ...mapDetails((detail) => firstOf(columns.details[detail])),
    email: firstOf(columns.email).split(SEVERAL, 1)[0]?.trim() ?? "",
    notes: columns.notes
      .map((index) => multiLine((cells[index] ?? "").replace(PROTECTED, "")))
      .filter(Boolean)
      .join("\n"),
    favorite: columns.favorite.some((index) => YES.test(text(index)) || /\bstarred\b/i.test(text(index))),
    numbers,
    repairs: [...repairs],
  });
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

function numbersOf(phone: PhoneColumn, text: (index: number) => string): FileNumber[] {
  const label = phone.typeColumn === null ? "" : text(phone.typeColumn);
  const type = label === "" ? phone.type : phoneTypeOf(label);
  return splitNumbers(text(phone.column)).map((number) => ({ text: number, type }));
}
