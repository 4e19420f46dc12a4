import type { DeckColumns } from "./deck-columns.ts";
import type { DeckColumn } from "./header-words.ts";
import type { RowProblem } from "./read-deck-row.ts";

/** Bad rows listed per kind; the others are only counted. */
const MAX_NAMED = 1_000;
/** Different words counted per kind. */
const MAX_WORDS = 1_000;
const WORD_LENGTH = 40;

/** The cells that make a row bad, by what is wrong with it. Without a prefix that can be read, a row cannot be left out by its word. */
const CELLS: Readonly<Partial<Record<RowProblem, readonly DeckColumn[]>>> = {
  price_missing: ["price", "firstPrice"],
  price_form: ["price", "firstPrice"],
  price_zero: ["price", "firstPrice"],
  price_too_high: ["price", "firstPrice"],
  two_prices: ["nextPrice"],
  price_per_call: ["callPrice"],
  unit: ["unit"],
  currency: ["currency", "price", "firstPrice"],
  increments_missing: ["increments", "firstInterval"],
  increments_form: ["increments", "firstInterval"],
  increments_unclear: ["increments", "firstInterval"],
  iso_form: ["iso", "callingCode"],
};

export interface BadRow {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly problem: RowProblem;
  /** The row's text, truncated in lists. */
  readonly text: string;
}

/**
 * Unusable rows: all are counted and handed on in full, the first thousand of each kind listed. Rows with a word that the operator named
 * are left out.
 */
export class BadRows {
  readonly named: BadRow[] = [];
  readonly counts = new Map<RowProblem, number>();
  /** The words that make them bad, by problem, with the number of rows. */
  readonly words = new Map<RowProblem, Map<string, number>>();
  /** Rows left out by each word, such as `price_form=closed`. */
  readonly leftOut: Map<string, number>;
  readonly #onBad: (row: BadRow) => void;

  /** @param onBad gets every bad row, with its whole text */
  constructor(leftOut: Iterable<string> = [], onBad: (row: BadRow) => void = () => {}) {
    this.leftOut = new Map(Array.from(leftOut, (word) => [word, 0]));
    this.#onBad = onBad;
  }

  /** @param word from `badWord`; null if the row can be left out by its line only */
  add(line: number, problem: RowProblem, text: string, word: string | null = null): void {
    this.#onBad({ line, problem, text });
    const count = (this.counts.get(problem) ?? 0) + 1;
    this.counts.set(problem, count);
    if (count <= MAX_NAMED) this.named.push({ line, problem, text: text.slice(0, 100) });
    if (word === null) return;
    const words = this.words.get(problem) ?? new Map<string, number>();
    this.words.set(problem, words);
    if (words.has(word) || words.size < MAX_WORDS) words.set(word, (words.get(word) ?? 0) + 1);
  }

  /** Whether the operator leaves out rows that are bad because of this word; counts the row then. */
  isLeftOut(problem: RowProblem, word: string | null): boolean {
    const key = `${problem}=${word ?? ""}`;
    const count = word === null ? undefined : this.leftOut.get(key);
    if (count === undefined) return false;
    this.leftOut.set(key, count + 1);
    return true;
  }
}

/** The word that makes a row bad; null if no single cell does. */
export function badWord(problem: RowProblem, cells: readonly string[], columns: DeckColumns): string | null {
  const written = CELLS[problem]?.map((column) => cells[columns.get(column)?.[0] ?? -1] ?? "");
  return written === undefined ? null : plainWord(written.find((cell) => cell.trim() !== "") ?? "");
}

/** Case and spaces do not matter. */
export function plainWord(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase().slice(0, WORD_LENGTH);
}
