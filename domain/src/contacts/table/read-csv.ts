import type { Decoded, FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits } from "../contact-limits.ts";
import type { Reading, RepairKind } from "../contact-file.ts";

export interface CsvRow {
  /** From 1, empty rows counted, as a spreadsheet numbers them. */
  readonly row: number;
  readonly cells: readonly string[];
  readonly repairs: readonly RepairKind[];
}

const DELIMITERS = [",", ";", "\t"] as const;
const HEAD_BYTES = 20_000;
/** Enough for the longest cell in any charset. */
const MOST_CELL_BYTES = contactFileLimits.cellCharacters * 4;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Reads a table of text (RFC 4180, with what programs really write): commas, semicolons or tabs between the cells, any line
 * end, quotes doubled inside quotes, text after a closing quote kept. Rows without any text are left out. Cells are found in the
 * bytes and decoded one by one, so that a broken one garbles no other.
 * A first line `sep=;` names the delimiter, as Excel writes and reads it.
 */
export function* readCsv(bytes: Uint8Array, decoder: FileDecoder): Reading<CsvRow> {
  const { start, delimiter } = beginOf(bytes);
  const reader = new RowReader(bytes, { start, delimiter: delimiter.charCodeAt(0), decoder });
  // The line that names the delimiter is a row of the file too.
  let row = start === 0 ? 0 : 1;
  while (reader.at < bytes.length) {
    row += 1;
    if (row > contactFileLimits.rows + 2) return { kind: "too_many_rows", row };
    const { cells, repairs } = reader.readRow();
    if (cells.length > contactFileLimits.columns) return { kind: "too_many_columns", row };
    yield cells.some((cell) => cell.trim() !== "") ? { row, cells, repairs } : null;
  }
  return null;
}

class RowReader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #delimiter: number;
  readonly #decoder: FileDecoder;
  /** The next of each byte, kept until passed, so that the bytes are searched once. */
  readonly #next = new Map<number, number>();
  /** Bytes that may still be searched in vain for the end of a quotation. */
  #searchable: number;

  constructor(bytes: Uint8Array, { start, delimiter, decoder }: { start: number; delimiter: number; decoder: FileDecoder }) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#decoder = decoder;
    this.at = start;
    this.#searchable = 4 * bytes.length;
  }

  /** The cells of the row at the current place, which moves behind the row's line end. */
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
    const { text, note } = this.#decoder.decode(bytes.subarray(0, MOST_CELL_BYTES));
    return { text: isQuoted ? text.replaceAll('""', '"') : text, note };
  }

  /**
   * Where the quotation that begins here ends. Null when it never ends, or ends in the middle of a cell of a later line: then its
   * quotation mark is one that somebody typed, and the rows behind it are rows.
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

/** Where the table begins, and what stands between its cells: what the first row has most of, outside quotes. */
function beginOf(bytes: Uint8Array): { start: number; delimiter: string } {
  const beginning = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  const named = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(beginning);
  if (named?.[1] !== undefined) return { start: named[0].length, delimiter: named[1] };
  const [head = ""] = beginning
    .trimStart()
    .replace(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: head.split(delimiter).length }));
  return { start: 0, delimiter: counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter };
}
