import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { AppError } from "../../platform/app-error.ts";
import { currencyIn } from "./currencies.ts";
import { decodeLines } from "./decode-lines.ts";
import { plainHeader, readHeader, type DeckHeader } from "./deck-columns.ts";
import type { Increments } from "./deck-values.ts";
import { IgnoredColumns, type DoubtfulColumn } from "./doubtful-columns.ts";
import { readDeckRow, type FileRow, type RowProblem, type RowSkip } from "./read-deck-row.ts";

const MAX_BYTES = 512 * 1024 * 1024;
const MAX_ROWS = 1_000_000;
const MAX_PREFIXES = 1_000_000;
const MAX_RECORD_BYTES = 16_384;
/** Carriers may put a logo and notices above the header. */
const HEADER_WITHIN_ROWS = 50;
const SNIFFED_BYTES = 65_536;
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Bad rows listed per kind; the others are only counted. */
const MAX_NAMED = 1_000;

export interface BadRow {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly problem: RowProblem;
  /** The row's text, truncated. */
  readonly text: string;
}

/** The content of a deck file. */
export interface DeckFile {
  /** Includes rows that were left out, so that their prefixes are not sold at another row's price. */
  readonly rows: readonly (FileRow & { readonly line: number })[];
  /** Number of data rows, including bad and skipped ones. */
  readonly rowsRead: number;
  readonly skipped: ReadonlyMap<RowSkip, number>;
  /** Lines to leave out that are not rows of the file. */
  readonly notSkipped: readonly number[];
  /** Headers of ignored columns, and the ignored columns that may affect prices. */
  readonly ignored: readonly string[];
  readonly doubtful: readonly DoubtfulColumn[];
  readonly bad: BadRows;
}

/** Options for reading a file. */
export interface ReadingOptions {
  /** The increments of rows that contain none. */
  readonly increments: Increments | null;
  /** Lines that the operator leaves out. */
  readonly skipLines: ReadonlySet<number>;
  /** Headers of columns that the operator ignores. */
  readonly ignoreColumns: readonly string[];
}

/** Unusable rows: all are counted, the first thousand of each kind listed. */
export class BadRows {
  readonly named: BadRow[] = [];
  readonly counts = new Map<RowProblem, number>();

  add(line: number, problem: RowProblem, text: string): void {
    const count = (this.counts.get(problem) ?? 0) + 1;
    this.counts.set(problem, count);
    if (count <= MAX_NAMED) this.named.push({ line, problem, text: text.slice(0, 100) });
  }
}

/**
 * Reads a carrier's price list as a stream: CSV in UTF-8, with `,`, `;`, tab or `|`, the header in one of the first 50 rows.
 * @throws AppError validation_failed with a sentence if the whole file cannot be read
 */
export async function readDeckFile(path: string, options: ReadingOptions): Promise<DeckFile> {
  const delimiter = await sniffDelimiter(path);
  const reader = new DeckReader(options);
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
  readonly #skipped = new Map<RowSkip, number>();
  readonly #toSkip: Set<number>;
  readonly #told: ReadonlySet<string>;
  readonly #bad = new BadRows();
  readonly #shared = new Map<string, BillingRate>();
  #header: DeckHeader | null = null;
  #ignored = new IgnoredColumns([]);
  #before = 0;
  #read = 0;
  #prefixes = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#toSkip = new Set(options.skipLines);
    this.#told = new Set(options.ignoreColumns.map(plainHeader));
  }

  take(cells: readonly string[], line: number): void {
    if (this.#header === null) return this.#check(cells, line);
    if (cells.every((cell) => cell.trim() === "")) return;
    this.#read += 1;
    if (this.#read > MAX_ROWS) throw refused(`The file has more than ${MAX_ROWS} rows.`);
    const { columns, width } = this.#header;
    const isLeftOut = this.#toSkip.delete(line);
    if (isNote(cells)) refuseOtherCurrency(cells, line);
    if (!isLeftOut) {
      this.#ignored.check(cells, line);
      if (cells.slice(width).some((cell) => cell.trim() !== "")) return this.#bad.add(line, "row_longer", cells.join(" | "));
    }
    const row = readDeckRow(cells, columns, { increments: this.#options.increments, isLeftOut });
    if ("problem" in row) return this.#bad.add(line, row.problem, cells.join(" | "));
    if (row.skip !== null) this.#skipped.set(row.skip, (this.#skipped.get(row.skip) ?? 0) + 1);
    this.#prefixes += row.prefixes.length;
    if (this.#prefixes > MAX_PREFIXES) throw refused(`The file has more than ${MAX_PREFIXES} prefixes.`);
    this.#rows.push({ ...row, cost: row.cost === null ? null : this.#share(row.cost), line });
  }

  result(): DeckFile {
    if (this.#header === null)
      throw refused(
        "No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`.",
      );
    return {
      rows: this.#rows,
      rowsRead: this.#read,
      skipped: this.#skipped,
      notSkipped: [...this.#toSkip],
      ignored: this.#ignored.names(),
      doubtful: this.#ignored.doubtful(),
      bad: this.#bad,
    };
  }

  #check(cells: readonly string[], line: number): void {
    this.#before += 1;
    if (this.#before > HEADER_WITHIN_ROWS) return;
    const header = readHeader(cells, this.#told);
    if (header === null) return refuseOtherCurrency(cells, line);
    if ("problem" in header) throw refused(header.problem);
    this.#header = header;
    this.#ignored = new IgnoredColumns(header.ignored);
  }

  /** Shares price objects to save memory, because a million rows have only a few thousand prices. */
  #share(cost: BillingRate): BillingRate {
    const key = `${cost.ratePerMinuteMicros}/${cost.firstIntervalSeconds}/${cost.nextIntervalSeconds}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    this.#shared.set(key, cost);
    return cost;
  }
}

/** Whether a row is a note instead of a price. */
function isNote(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell.trim() !== "").length <= 2 && !cells.some((cell) => /^\+?\d+$/.test(cell.trim()));
}

/** Refuses a list that mentions another currency anywhere, because all its prices may be in it. */
function refuseOtherCurrency(cells: readonly string[], line: number): void {
  const text = cells.filter((cell) => cell.trim() !== "").join(" ");
  if (currencyIn(text) === "other")
    throw refused(
      `Line ${line} names another currency or a part of the dollar: "${text.slice(0, 100)}". Prices must be in US dollars; if they are, remove the line.`,
    );
}

async function sniffDelimiter(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) throw refused(`There is no file ${path}.`);
  if (found.size > MAX_BYTES) throw refused("The file is larger than 512 MB.");
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return delimiterOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function delimiterOf(head: Buffer): string {
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
  return DELIMITERS.find((delimiter) => lines.some((line) => readHeader(cellsOf(line, delimiter)) !== null)) ?? ",";
}

function refused(message: string): AppError {
  return new AppError("validation_failed", { reason: "operator.refused", params: { text: message } });
}
