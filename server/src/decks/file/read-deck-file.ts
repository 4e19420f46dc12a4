import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { CsvError, parse } from "csv-parse";
import { AppError } from "../../platform/http/app-error.ts";
import { readHeader, type DeckColumns } from "./deck-columns.ts";
import type { Increments } from "./deck-values.ts";
import { readDeckRow, type FileRow, type RowProblem, type RowSkip } from "./read-deck-row.ts";

const MOST_BYTES = 512 * 1024 * 1024;
const MOST_ROWS = 1_000_000;
const MOST_PREFIXES = 1_000_000;
const MOST_RECORD_BYTES = 16_384;
/** Carriers put a logo and notices above the header. */
const HEADER_WITHIN_ROWS = 50;
const SNIFFED_BYTES = 65_536;
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Of one kind; the others are counted. */
const MOST_NAMED = 1_000;

export interface BadRow {
  /** Of the file, from 1. */
  readonly line: number;
  readonly problem: RowProblem;
  /** As written, shortened. */
  readonly text: string;
}

/** What a file holds. */
export interface DeckFile {
  readonly rows: readonly (FileRow & { readonly line: number })[];
  /** Data rows, the bad and the skipped ones included. */
  readonly rowsRead: number;
  readonly skipped: ReadonlyMap<RowSkip | "on_request", number>;
  readonly bad: BadRows;
}

/** Rows that can't be used: all counted, the first thousand of each kind named. */
export class BadRows {
  readonly named: BadRow[] = [];
  readonly counts = new Map<RowProblem, number>();

  add(line: number, problem: RowProblem, text: string): void {
    const count = (this.counts.get(problem) ?? 0) + 1;
    this.counts.set(problem, count);
    if (count <= MOST_NAMED) this.named.push({ line, problem, text: text.slice(0, 100) });
  }
}

/**
 * Reads a carrier's price list as a stream: CSV in UTF-8, with `,`, `;`, tab or `|`, the header in one of the first 50 rows.
 * @param options.increments those of rows that tell none
 * @param options.skipLines lines an operator leaves out
 * @throws AppError validation_failed with a sentence when the file as a whole can't be read
 */
export async function readDeckFile(
  path: string,
  options: { readonly increments: Increments | null; readonly skipLines: ReadonlySet<number> },
): Promise<DeckFile> {
  const delimiter = await sniffDelimiter(path);
  const reader = new DeckReader(options);
  const parser = createReadStream(path).pipe(
    parse({
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MOST_RECORD_BYTES,
      // The line goes in front of the cells, because the parser is ahead of the loop below.
      on_record: (cells: string[], { lines }: { lines: number }) => [String(lines), ...cells],
    }),
  );
  try {
    for await (const [line, ...cells] of parser as AsyncIterable<string[]>) reader.take(cells, Number(line));
  } catch (error) {
    if (error instanceof CsvError) throw refused(`The file is not a clean CSV file: ${error.message}`);
    throw error;
  }
  return reader.result();
}

class DeckReader {
  readonly #options: { readonly increments: Increments | null; readonly skipLines: ReadonlySet<number> };
  readonly #rows: (FileRow & { line: number })[] = [];
  readonly #skipped = new Map<RowSkip | "on_request", number>();
  readonly #bad = new BadRows();
  readonly #shared = new Map<string, FileRow["cost"]>();
  #columns: DeckColumns | null = null;
  #before = 0;
  #read = 0;
  #prefixes = 0;

  constructor(options: { readonly increments: Increments | null; readonly skipLines: ReadonlySet<number> }) {
    this.#options = options;
  }

  take(cells: readonly string[], line: number): void {
    if (this.#columns === null) return this.#look(cells);
    if (cells.every((cell) => cell.trim() === "")) return;
    this.#read += 1;
    if (this.#read > MOST_ROWS) throw refused(`The file has more than ${MOST_ROWS} rows.`);
    if (this.#options.skipLines.has(line)) return this.#skip("on_request");
    const row = readDeckRow(cells, this.#columns, this.#options.increments);
    if ("problem" in row) return this.#bad.add(line, row.problem, cells.join(" | "));
    if ("skip" in row) return this.#skip(row.skip);
    this.#prefixes += row.prefixes.length;
    if (this.#prefixes > MOST_PREFIXES) throw refused(`The file has more than ${MOST_PREFIXES} prefixes.`);
    this.#rows.push({ ...row, cost: this.#share(row.cost), line });
  }

  result(): DeckFile {
    if (this.#columns === null)
      throw refused(
        "No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`.",
      );
    return { rows: this.#rows, rowsRead: this.#read, skipped: this.#skipped, bad: this.#bad };
  }

  #look(cells: readonly string[]): void {
    this.#before += 1;
    if (this.#before > HEADER_WITHIN_ROWS) return;
    const header = readHeader(cells);
    if (header === null) return;
    if ("problem" in header) throw refused(header.problem);
    this.#columns = header;
  }

  #skip(why: RowSkip | "on_request"): void {
    this.#skipped.set(why, (this.#skipped.get(why) ?? 0) + 1);
  }

  /** A million rows have a few thousand prices. */
  #share(cost: FileRow["cost"]): FileRow["cost"] {
    const key = `${cost.ratePerMinuteMicros}/${cost.firstIntervalSeconds}/${cost.nextIntervalSeconds}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    this.#shared.set(key, cost);
    return cost;
  }
}

async function sniffDelimiter(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) throw refused(`There is no file ${path}.`);
  if (found.size > MOST_BYTES) throw refused("The file is larger than 512 MB.");
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
  const lines = head.toString("utf8").split(/\r?\n/).slice(0, HEADER_WITHIN_ROWS);
  const cellsOf = (line: string, delimiter: string) => line.split(delimiter).map((cell) => cell.replaceAll('"', ""));
  return DELIMITERS.find((delimiter) => lines.some((line) => readHeader(cellsOf(line, delimiter)) !== null)) ?? ",";
}

function refused(message: string): AppError {
  return new AppError("validation_failed", message);
}
