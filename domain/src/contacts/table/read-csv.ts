import type { Decoded, FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits, type Reading, type RepairKind } from "../contact-file.ts";

export interface CsvRow {
  /** From 1, counting empty rows, like a spreadsheet. */
  readonly row: number;
  readonly cells: readonly string[];
  readonly repairs: readonly RepairKind[];
  readonly delimiter: string;
  /** Whether the file ends within this row, without a line end. */
  readonly isCut: boolean;
}

const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Lines from which the delimiter is judged. */
const LINES_JUDGED = 20;
const HEAD_BYTES = 20_000;
/** Enough for the longest cell in any charset. */
const MAX_CELL_BYTES = contactFileLimits.cellCharacters * 4;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Reads CSV (RFC 4180, and what programs actually write): commas, semicolons, tabs or bars between cells, any line ends, doubled quotes
 * inside quotes, text after a closing quote. Empty rows are skipped. Cells are decoded one by one, so that an invalid one affects no
 * other. A first line `sep=;` names the delimiter, as in Excel.
 */
export function* readCsv(bytes: Uint8Array, decoder: FileDecoder): Reading<CsvRow> {
  const { start, delimiter } = startOf(bytes);
  const reader = new RowReader(bytes, { start, delimiter: delimiter.charCodeAt(0), decoder });
  // The `sep=` line counts as a row.
  let row = start === 0 ? 0 : 1;
  while (reader.at < bytes.length) {
    row += 1;
    if (row > contactFileLimits.rows + 2) return { kind: "too_many_rows", row };
    const { cells, repairs } = reader.readRow();
    if (cells.length > contactFileLimits.columns) return { kind: "too_many_columns", row };
    const isCut = reader.at > bytes.length;
    yield cells.some((cell) => cell.trim() !== "") ? { row, cells, repairs, delimiter, isCut } : null;
  }
  return null;
}

class RowReader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #delimiter: number;
  readonly #decoder: FileDecoder;
  /** The next position of each byte value, cached so that the bytes are searched once. */
  readonly #next = new Map<number, number>();
  /** How many more bytes may be searched in vain for closing quotes; bounds the total work. */
  #searchable: number;

  constructor(bytes: Uint8Array, { start, delimiter, decoder }: { start: number; delimiter: number; decoder: FileDecoder }) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#decoder = decoder;
    this.at = start;
    this.#searchable = 4 * bytes.length;
  }

  /** Reads the cells of the current row and moves past its line end. */
  readRow(): { cells: string[]; repairs: readonly RepairKind[] } {
    const cells: string[] = [];
    const repairs = new Set<RepairKind>();
    for (;;) {
      const { text, note } = this.#readCell(repairs);
      if (note !== null) repairs.add(note);
      if (cells.push(text) > contactFileLimits.columns) break;
      if (this.#bytes[this.at] !== this.#delimiter) break;
      this.at += 1;
    }
    this.at += this.#bytes[this.at] === RETURN && this.#bytes[this.at + 1] === LINE_FEED ? 2 : 1;
    return { cells, repairs: [...repairs] };
  }

  #readCell(repairs: Set<RepairKind>): Decoded {
    const quoted = this.#bytes[this.at] === QUOTE ? this.#findClosing() : null;
    if (this.#bytes[this.at] === QUOTE && quoted === null) repairs.add("quote_not_closed");
    const start = this.at;
    if (quoted !== null) this.at = quoted + 1;
    const end = Math.min(this.#find(this.#delimiter), this.#find(LINE_FEED), this.#find(RETURN));
    const inside = quoted === null ? null : this.#bytes.subarray(start + 1, quoted);
    const rest = this.#bytes.subarray(this.at, end);
    this.at = end;
    return inside === null ? this.#decode(rest, false) : this.#join(inside, rest);
  }

  #join(inside: Uint8Array, rest: Uint8Array): Decoded {
    const quoted = this.#decode(inside, true);
    if (rest.length === 0) return quoted;
    const behind = this.#decode(rest, false);
    return { text: quoted.text + behind.text, note: quoted.note ?? behind.note };
  }

  #decode(bytes: Uint8Array, isQuoted: boolean): Decoded {
    const { text, note } = this.#decoder.decode(bytes.subarray(0, MAX_CELL_BYTES));
    return { text: isQuoted ? text.replaceAll('""', '"') : text, note };
  }

  /**
   * The position of the closing quote. Null if there is none, or if it is in the middle of a cell on a later line: then the opening
   * quote is part of the text, and the following lines are rows.
   */
  #findClosing(): number | null {
    let from = this.at + 1;
    for (;;) {
      const quote = this.#searchable > 0 ? this.#bytes.indexOf(QUOTE, from) : -1;
      if (quote !== -1 && this.#bytes[quote + 1] === QUOTE) {
        from = quote + 2;
        continue;
      }
      if (quote === -1) {
        this.#searchable -= this.#bytes.length - this.at;
        return null;
      }
      const behind = this.#bytes[quote + 1] ?? LINE_FEED;
      if (behind === this.#delimiter || behind === LINE_FEED || behind === RETURN) return quote;
      if (Math.min(this.#find(LINE_FEED), this.#find(RETURN)) > quote) return quote;
      this.#searchable -= quote - this.at;
      return null;
    }
  }

  #find(byte: number): number {
    const known = this.#next.get(byte) ?? -1;
    if (known >= this.at) return known;
    const found = this.#bytes.indexOf(byte, this.at);
    const place = found === -1 ? this.#bytes.length : found;
    this.#next.set(byte, place);
    return place;
  }
}

/**
 * Where the table starts, and its delimiter: the one that occurs equally often, outside quotes, in most of the first lines, and of
 * several the most frequent one.
 */
function startOf(bytes: Uint8Array): { start: number; delimiter: string } {
  const beginning = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  const named = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(beginning);
  if (named?.[1] !== undefined) return { start: named[0].length, delimiter: named[1] };
  const lines = beginning
    .replace(/"[^"]*"/g, "")
    .split(/[\r\n]+/, LINES_JUDGED)
    .filter((line) => line.trim() !== "");
  const scores = DELIMITERS.map((delimiter) => ({
    delimiter,
    ...regularity(lines.map((line) => line.split(delimiter).length - 1)),
  }));
  const best = scores.reduce((one, other) =>
    other.lines > one.lines || (other.lines === one.lines && other.count > one.count) ? other : one,
  );
  return { start: 0, delimiter: best.delimiter };
}

/** The most common count above zero, and how many lines have it. */
function regularity(counts: readonly number[]): { count: number; lines: number } {
  const linesWith = (count: number) => counts.filter((one) => one === count).length;
  return counts
    .filter((count) => count > 0)
    .map((count) => ({ count, lines: linesWith(count) }))
    .reduce((best, one) => (one.lines > best.lines ? one : best), { count: 0, lines: 0 });
}
