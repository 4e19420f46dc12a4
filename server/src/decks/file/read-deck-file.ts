import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { AppError } from "../../platform/app-error.ts";
import { badWord, BadRows, type BadRow } from "./bad-rows.ts";
import { currencyIn } from "./currencies.ts";
import { compareLayouts, givenColumns, storedHeader, type ColumnLayout, type EarlierFile } from "./column-layout.ts";
import { readHeader, type ColumnMap, type DeckHeader } from "./deck-columns.ts";
import { plainHeader, type DeckColumn } from "./header-words.ts";
import { namesOtherUnit } from "./deck-units.ts";
import type { Increments } from "./deck-values.ts";
import { IgnoredColumns, type DoubtfulColumn } from "./ignored-columns.ts";
import { isOtherHeader, readNotice, readSideRow, textOf, type SideRow } from "./notices.ts";
import { readDeckRow, type FileOffer, type FileRow, type RowSkip } from "./read-deck-row.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** More than the longest row needs. */
const MAX_LINE_BYTES = 1024 * 1024;
const REPLACEMENT = "\uFFFD";
/** Spreadsheets export text cells as `="336"`, which a CSV parser considers a broken quote. */
const TEXT_CELLS = /(?<=^|[,;\t|\r\n])=(?="[^"\r\n]+"(?:[,;\t|\r\n]|$))/g;

/** The largest file. */
export const MAX_DECK_BYTES = 512 * 1024 * 1024;
const MAX_ROWS = 1_000_000;
const MAX_PREFIXES = 1_000_000;
const MAX_RECORD_BYTES = 16_384;
/** Carriers may put a logo and notices above the header. */
const HEADER_WITHIN_ROWS = 50;
const SNIFFED_BYTES = 65_536;
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Rows beside the prices that are listed; the others are only counted. */
const MAX_NAMED = 1_000;
/** A row with fewer headers of the earlier file, or fewer cells, is no candidate for a header. */
const MIN_HEADERS = 2;
/** Notices that are remembered, and the length up to which they are compared. */
const MAX_REMEMBERED = 200;
const MAX_NOTICE_CHARS = 500;

/** The content of a deck file. */
export interface DeckFile {
  /** Includes rows that were left out, so that their prefixes are not sold at another row's price. */
  readonly rows: (FileRow & { readonly line: number })[];
  /** Number of data rows, including bad and skipped ones. */
  readonly rowsRead: number;
  readonly skipped: ReadonlyMap<RowSkip | SideRow, number>;
  /** Lines to leave out that are not rows of the file. */
  readonly notSkipped: readonly number[];
  /** Headers of ignored columns, and the ignored columns that may affect prices. */
  readonly ignored: readonly string[];
  readonly doubtful: readonly DoubtfulColumn[];
  readonly bad: BadRows;
  /** Rows without a price: notices, totals, repeated headers. */
  readonly beside: readonly { readonly line: number; readonly kind: SideRow; readonly text: string }[];
  readonly layout: ColumnLayout;
  /** Notices that operators have read, in this file or an earlier one. */
  readonly notices: readonly string[];
  /** Dates of notices by which the list begins, as written. */
  readonly starts: readonly { readonly line: number; readonly text: string }[];
  /** How the columns differ from those of the earlier file, in words. */
  readonly moved: readonly string[];
}

/** Options for reading a file. */
interface ReadingOptions {
  /** The increments of rows that contain none. */
  readonly increments: Increments | null;
  /** Lines that the operator leaves out. */
  readonly skipLines: ReadonlySet<number>;
  /** Words whose bad rows the operator leaves out, such as `price_form=closed`. */
  readonly skipWords?: ReadonlySet<string>;
  /** What the operator says about columns, by their headers. */
  readonly columns: ColumnMap;
  /** Gets every bad row. */
  readonly onBad?: ((row: BadRow) => void) | undefined;
  /** An earlier file of the same carrier; null if there is none. */
  readonly earlier: EarlierFile | null;
}

/**
 * Reads a carrier's price list as a stream: CSV in UTF-8, with `,`, `;`, tab or `|`, the header in one of the first 50 rows.
 * @throws AppError validation_failed with a message if the whole file cannot be read
 */
export async function readDeckFile(path: string, options: ReadingOptions): Promise<DeckFile> {
  const given = new Map([...givenColumns(options.earlier?.layout ?? []), ...options.columns]);
  const delimiter = await sniffDelimiter(path, given);
  const reader = new DeckReader(options, given);
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    // The line number is put before the cells, because the parser runs ahead of the loop below.
    on_record: (cells: string[], { lines }: { lines: number }) => [String(lines), ...cells],
  });
  try {
    await pipeline(decodeLines(path), parser, async (records: AsyncIterable<string[]>) => {
      for await (const [line, ...cells] of records) reader.take(cells, Number(line));
    });
  } catch (error) {
    if (error instanceof CsvError) throw refused(`The file is not a clean CSV file: ${error.message}`);
    throw error;
  }
  return reader.result();
}

class DeckReader {
  readonly #options: ReadingOptions;
  readonly #rows: (FileRow & { line: number })[] = [];
  readonly #skipped = new Map<RowSkip | SideRow, number>();
  readonly #toSkip: Set<number>;
  readonly #given: ColumnMap;
  readonly #bad: BadRows;
  readonly #offers = new Map<string, FileOffer>();
  readonly #costs = new Map<string, BillingRate>();
  readonly #beside: { line: number; kind: SideRow; text: string }[] = [];
  #header: DeckHeader | null = null;
  /** The row that looks most like a header, until one is found. */
  #candidate: { readonly line: number; readonly cells: readonly string[]; readonly known: number } | null = null;
  readonly #notices: Set<string>;
  readonly #starts: { line: number; text: string }[] = [];
  #ignored = new IgnoredColumns([], new Map(), []);
  #before = 0;
  #read = 0;
  #prefixes = 0;

  constructor(options: ReadingOptions, given: ColumnMap) {
    this.#options = options;
    this.#given = given;
    this.#toSkip = new Set(options.skipLines);
    this.#bad = new BadRows(options.skipWords, options.onBad);
    this.#notices = new Set(options.earlier?.notices);
  }

  take(cells: readonly string[], line: number): void {
    if (this.#header === null) return this.#check(cells, line);
    if (cells.every((cell) => cell.trim() === "")) return;
    this.#read += 1;
    if (this.#read > MAX_ROWS) throw refused(`The file has more than ${MAX_ROWS} rows.`);
    const header = this.#header;
    if (isOtherHeader(cells, header)) throw refuseHeader(cells, line);
    const isLeftOut = this.#toSkip.delete(line);
    if (isNote(cells)) refuseOtherPrices(cells, line);
    const side = readSideRow(cells, header);
    if (side === "notice") return this.#takeNotice(cells, line, isLeftOut);
    if (!isLeftOut) {
      if (side !== null) return this.#setAside(side, cells, line);
      this.#ignored.check(cells, line);
      if (cells.slice(header.names.length).some((cell) => cell.trim() !== ""))
        return this.#bad.add(line, "row_longer", cells.join(" | "));
    }
    const row = this.#readRow(cells, header.columns, isLeftOut);
    if ("problem" in row) return this.#bad.add(line, row.problem, cells.join(" | "), badWord(row.problem, cells, header.columns));
    const { skip } = row.offer;
    if (skip !== null) this.#skipped.set(skip, (this.#skipped.get(skip) ?? 0) + 1);
    this.#prefixes += row.prefixes.length;
    if (this.#prefixes > MAX_PREFIXES) throw refused(`The file has more than ${MAX_PREFIXES} prefixes.`);
    this.#rows.push({ prefixes: row.prefixes, offer: this.#share(row.offer), line });
  }

  #readRow(cells: readonly string[], columns: DeckHeader["columns"], isLeftOut: boolean): ReturnType<typeof readDeckRow> {
    const { increments } = this.#options;
    const row = readDeckRow(cells, columns, { increments, isLeftOut });
    if (!("problem" in row) || !this.#bad.isLeftOut(row.problem, badWord(row.problem, cells, columns))) return row;
    return readDeckRow(cells, columns, { increments, isLeftOut: true });
  }

  result(): DeckFile {
    if (this.#header === null) throw refused(this.#explainMissingHeader());
    const layout = layoutOf(this.#header, this.#given, this.#ignored);
    this.#assertColumnsExist(layout);
    return {
      rows: this.#rows,
      rowsRead: this.#read,
      skipped: this.#skipped,
      notSkipped: [...this.#toSkip],
      ignored: this.#ignored.names(),
      doubtful: this.#ignored.doubtful(),
      bad: this.#bad,
      beside: this.#beside,
      layout,
      notices: [...this.#notices].slice(-MAX_REMEMBERED),
      starts: this.#starts,
      moved: this.#options.earlier === null ? [] : compareLayouts(this.#options.earlier.layout, layout),
    };
  }

  /** A notice that is not known to be harmless stops the import until an operator leaves its line out, in this file or an earlier one. */
  #takeNotice(cells: readonly string[], line: number, isLeftOut: boolean): void {
    const text = textOf(cells).slice(0, MAX_NOTICE_CHARS);
    const meaning = readNotice(text);
    if (isLeftOut && meaning === "unclear") this.#notices.add(text);
    if (meaning === "unclear" && !this.#notices.has(text)) return this.#bad.add(line, "notice_unclear", text);
    if (typeof meaning === "object" && !isLeftOut) this.#starts.push(...meaning.starts.map((date) => ({ line, text: date })));
    this.#setAside("notice", cells, line);
  }

  #setAside(kind: SideRow, cells: readonly string[], line: number): void {
    this.#skipped.set(kind, (this.#skipped.get(kind) ?? 0) + 1);
    const text = textOf(cells);
    if (this.#beside.length < MAX_NAMED) this.#beside.push({ line, kind, text: text.slice(0, 100) });
  }

  #assertColumnsExist(layout: ColumnLayout): void {
    const names = new Set(layout.map(({ header }) => plainHeader(header)));
    const missing = [...this.#options.columns.keys()].find((name) => !names.has(name));
    if (missing !== undefined) throw refused(`There is no column "${missing}".`);
  }

  #explainMissingHeader(): string {
    const general =
      "No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`.";
    if (this.#candidate === null) return general;
    const { cells, line } = this.#candidate;
    const headers = cells.map((cell) => `"${storedHeader(cell)}"`).join(", ");
    return `${general} If line ${line} does (${headers}), say what they mean: --column "${storedHeader(cells[0] ?? "")}=prefix" and so on.`;
  }

  #check(cells: readonly string[], line: number): void {
    this.#before += 1;
    if (this.#before > HEADER_WITHIN_ROWS) return;
    const header = readHeader(cells, this.#given);
    if (header === null) {
      this.#consider(cells, line);
      refuseOtherPrices(cells, line);
      if (cells.every((cell) => cell.trim() === "")) return;
      this.#read += 1;
      return this.#takeNotice(cells, line, this.#toSkip.delete(line));
    }
    if ("problem" in header) throw refused(header.problem);
    this.#header = header;
    this.#ignored = new IgnoredColumns(header.ignored, this.#options.columns, this.#options.earlier?.layout ?? []);
  }

  #consider(cells: readonly string[], line: number): void {
    const names = cells.map(plainHeader).filter((name) => name !== "");
    const earlier = new Set(this.#options.earlier?.layout.map(({ header }) => plainHeader(header)));
    const known = names.filter((name) => earlier.has(name)).length;
    const isText = !cells.some((cell) => /^[\d.,$]+$/.test(cell.trim()));
    if (names.length >= MIN_HEADERS && isText && known > (this.#candidate?.known ?? -1)) this.#candidate = { line, cells, known };
  }

  /** Offers of one cost share it too: prices follow from it. */
  #share(offer: FileOffer): FileOffer {
    const { cost } = offer;
    const price = cost === null ? "" : `${cost.ratePerMinuteMicros}/${cost.firstIntervalSeconds}/${cost.nextIntervalSeconds}`;
    const { callingCode, description, country, iso, type, skip, effective } = offer;
    const key = [price, callingCode, description, country, iso, type, skip, effective].join("\n");
    const known = this.#offers.get(key);
    if (known !== undefined) return known;
    const shared = { ...offer, cost: this.#costs.get(price) ?? cost };
    if (shared.cost !== null) this.#costs.set(price, shared.cost);
    this.#offers.set(key, shared);
    return shared;
  }
}

/** Columns without a header at the end are left out, because spreadsheets add some. */
function layoutOf({ columns, names }: DeckHeader, given: ColumnMap, ignored: IgnoredColumns): ColumnLayout {
  const read = new Map<number, DeckColumn>();
  for (const [column, places] of columns) for (const place of places) read.set(place, column);
  const layout = names.map((name, place) => {
    const header = storedHeader(name) || `column ${place + 1}`;
    const column = read.get(place) ?? null;
    if (column !== null) return { header, column, isGiven: given.has(plainHeader(header)) };
    const values = ignored.ignoredValues(plainHeader(header));
    return values === null ? { header, column, isGiven: false } : { header, column, isGiven: true, values };
  });
  const last = layout.findLastIndex(({ isGiven }, place) => isGiven || names[place] !== "");
  return layout.slice(0, last + 1);
}

/** Whether a row is a note instead of a price. */
function isNote(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell.trim() !== "").length <= 2 && !cells.some((cell) => /^\+?\d+$/.test(cell.trim()));
}

/** Refuses a list that names another currency or unit anywhere, because all its prices may be in it. */
function refuseOtherPrices(cells: readonly string[], line: number): void {
  const text = cells.filter((cell) => cell.trim() !== "").join(" ");
  const shown = text.slice(0, 100);
  if (currencyIn(text) === "other")
    throw refused(
      `Line ${line} names another currency or a part of the dollar: "${shown}". Prices must be in US dollars; if they are, remove the line.`,
    );
  if (namesOtherUnit(text))
    throw refused(
      `Line ${line} names another unit than the minute: "${shown}". Prices must be per minute; if they are, remove the line.`,
    );
}

function refuseHeader(cells: readonly string[], line: number): AppError {
  return refused(
    `Line ${line} is another header: "${textOf(cells).slice(0, 100)}". The prices below it may mean something else, so it cannot be left out. Save that part as a file of its own; if it is no header, remove the line.`,
  );
}

async function sniffDelimiter(path: string, given: ColumnMap): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) throw refused(`There is no file ${path}.`);
  if (found.size > MAX_DECK_BYTES) throw refused("The file is larger than 512 MB.");
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return delimiterOf(buffer.subarray(0, bytesRead), given);
  } finally {
    await file.close();
  }
}

function delimiterOf(head: Buffer, given: ColumnMap): string {
  if (head.length === 0) throw refused("The file is empty.");
  const isWorkbook = head.toString("latin1", 0, 2) === "PK" || head.readUIntBE(0, Math.min(4, head.length)) === 0xd0_cf_11_e0;
  if (isWorkbook) throw refused("This is a workbook. Save its sheet as CSV (UTF-8) and import that file.");
  if (head.includes(0)) throw refused("The file is not text in UTF-8. Save it as CSV (UTF-8).");
  // Lists and decimal commas make any character frequent, so the delimiter is the one that makes a header.
  const lines = head
    .toString("utf8")
    .split(/\r\n|\r|\n/)
    .slice(0, HEADER_WITHIN_ROWS);
  const cellsOf = (line: string, delimiter: string) => line.split(delimiter).map((cell) => cell.replaceAll('"', ""));
  return DELIMITERS.find((delimiter) => lines.some((line) => readHeader(cellsOf(line, delimiter), given) !== null)) ?? ",";
}

function refused(message: string): AppError {
  return new AppError("validation_failed", { reason: "operator.refused", params: { text: message } });
}

/**
 * Reads a UTF-8 file as chunks of whole lines, with any line endings.
 * @throws AppError validation_failed naming the first line that is not UTF-8 or contains replacement characters
 */
async function* decodeLines(path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN, -2)) + 1;
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) throw refused(`Line ${line} is longer than 1 MB.`);
    const text = decode(bytes.subarray(0, end), line);
    line += linesIn(text);
    yield text;
  }
  yield decode(rest, line);
}

function decode(bytes: Buffer, firstLine: number): string {
  const text = bytes.toString("utf8");
  if (isUtf8(bytes) && !text.includes(REPLACEMENT)) return text.replaceAll(TEXT_CELLS, "");
  const line = firstLine + linesIn(text.slice(0, text.indexOf(REPLACEMENT)));
  throw refused(`Line ${line} has letters that are not in UTF-8. Save the file as CSV (UTF-8).`);
}

function linesIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
