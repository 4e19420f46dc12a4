import { contactFileLimits } from "./contact-limits.ts";
import type { FileProblemKind, Reading } from "./contact-file.ts";

export interface CsvRow {
  /** From 1, empty rows counted, as a spreadsheet numbers them. */
  readonly row: number;
  readonly cells: readonly string[];
}

const DELIMITERS = [",", ";", "\t"] as const;
const HEAD_CHARACTERS = 20_000;

/**
 * Reads a table of text (RFC 4180, with what programs really write): commas, semicolons or tabs between the cells, any line
 * end, quotes doubled inside quotes, text after a closing quote kept. Rows without any text are left out.
 * A first line `sep=;` names the delimiter, as Excel writes and reads it.
 */
export function* readCsv(text: string): Reading<CsvRow> {
  const { start, delimiter } = beginOf(text);
  const reader = new CellReader(text, start, delimiter);
  // The line that names the delimiter is a row of the file too.
  let row = start === 0 ? 0 : 1;
  while (reader.at < text.length) {
    row += 1;
    if (row > contactFileLimits.rows + 2) return { kind: "too_many_rows", row };
    const cells = reader.readRow();
    if (typeof cells === "string") return { kind: cells, row };
    if (cells.some((cell) => cell.trim() !== "")) yield { row, cells };
  }
  return null;
}

class CellReader {
  at: number;
  readonly #text: string;
  readonly #delimiter: string;
  /** The next line end and the next delimiter, kept until passed, so that the text is searched once. */
  #lineEnd = -1;
  #nextDelimiter = -1;

  constructor(text: string, start: number, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.at = start;
  }

  /** The cells of the row at the current place, which moves behind the row's line end; or what is wrong with the row. */
  readRow(): string[] | FileProblemKind {
    const cells: string[] = [];
    for (;;) {
      const cell = this.#readCell();
      if (cell === null) return "unclosed_quote";
      if (cell.length > contactFileLimits.cellCharacters) return "cell_too_long";
      if (cells.push(cell) > contactFileLimits.columns) return "too_many_columns";
      if (this.#text[this.at] !== this.#delimiter) break;
      this.at += 1;
    }
    this.at += this.#text.startsWith("\r\n", this.at) ? 2 : 1;
    return cells;
  }

  #readCell(): string | null {
    let head = "";
    if (this.#text[this.at] === '"') {
      const quoted = this.#readQuoted();
      if (quoted === null) return null;
      head = quoted;
    }
    const end = Math.min(this.#findDelimiter(), this.#findLineEnd());
    const rest = this.#text.slice(this.at, end);
    this.at = end;
    return head + rest;
  }

  /** Null when the quote never ends. */
  #readQuoted(): string | null {
    const parts: string[] = [];
    let from = this.at + 1;
    for (;;) {
      const quote = this.#text.indexOf('"', from);
      if (quote === -1) return null;
      parts.push(this.#text.slice(from, quote));
      if (this.#text[quote + 1] !== '"') {
        this.at = quote + 1;
        return parts.join('"');
      }
      from = quote + 2;
    }
  }

  #findDelimiter(): number {
    if (this.#nextDelimiter >= this.at) return this.#nextDelimiter;
    const found = this.#text.indexOf(this.#delimiter, this.at);
    this.#nextDelimiter = found === -1 ? this.#text.length : found;
    return this.#nextDelimiter;
  }

  #findLineEnd(): number {
    if (this.#lineEnd >= this.at) return this.#lineEnd;
    const LINE_END = /[\r\n]/g;
    LINE_END.lastIndex = this.at;
    this.#lineEnd = LINE_END.exec(this.#text)?.index ?? this.#text.length;
    return this.#lineEnd;
  }
}

/** Where the table begins, and what stands between its cells: what the first row has most of, outside quotes. */
function beginOf(text: string): { start: number; delimiter: string } {
  const named = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(text);
  if (named?.[1] !== undefined) return { start: named[0].length, delimiter: named[1] };
  const [head = ""] = text
    .trimStart()
    .slice(0, HEAD_CHARACTERS)
    .replace(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: head.split(delimiter).length }));
  return { start: 0, delimiter: counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter };
}
