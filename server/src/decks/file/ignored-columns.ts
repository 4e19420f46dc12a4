import type { ColumnLayout } from "./column-layout.ts";
import type { ColumnMap, IgnoredColumn } from "./deck-columns.ts";
import { plainHeader } from "./header-words.ts";
import { nameCondition } from "./status-words.ts";

/** A column with more values is asked about in every file. */
const MAX_VALUES = 50;
const MAX_VALUE_CHARS = 100;
const MAX_SHOWN = 3;

/** A column that is not read and whose values nobody has chosen to ignore. */
export interface DoubtfulColumn {
  readonly name: string;
  /** The first row with such a value. */
  readonly line: number;
  /** Some of the values. */
  readonly text: string;
}

interface Watched extends IgnoredColumn {
  readonly header: string;
  /** Whether the operator ignores the column in this file, with whatever is in it. */
  readonly isRequested: boolean;
  /** Values ignored in an earlier file. */
  readonly known: ReadonlySet<string>;
  readonly seen: Set<string>;
  isOverfull: boolean;
  readonly fresh: string[];
  freshLine: number;
}

const ZERO = /^\W?0*(?:[.,]0*)?$/;
/** Columns in which zero means none. */
const EXTRA =
  /\b(?:fees?|charges?|surcharges?|supplements?|set ?up|connect\w*|minimum|min|tax|vat|gst|duty|discounts?|grace|free|nocharge|included|disconnect)\b/;

/**
 * Watches the columns that are not read. A value stops the import unless the operator ignores the column, has ignored that value in an
 * earlier file, the column only identifies rows, or it is a fee of zero.
 */
export class IgnoredColumns {
  readonly #columns: readonly Watched[];

  /** @param given what the operator says about this file's columns */
  constructor(columns: readonly IgnoredColumn[], given: ColumnMap, earlier: ColumnLayout) {
    const values = new Map(earlier.map((one) => [plainHeader(one.header), one.values ?? []]));
    this.#columns = columns.map((column) => {
      const header = plainHeader(column.name);
      return {
        ...column,
        header,
        isRequested: given.has(header),
        known: new Set(values.get(header)),
        seen: new Set(),
        isOverfull: false,
        fresh: [],
        freshLine: 0,
      };
    });
  }

  /** Checks the cells of a data row that are not read. */
  check(cells: readonly string[], line: number): void {
    for (const column of this.#columns) {
      const text = (cells[column.place] ?? "").trim().slice(0, MAX_VALUE_CHARS);
      if (text === "" || column.seen.has(text)) continue;
      if (column.isLabel && !column.isRequested && nameCondition(text) === null) continue;
      if (column.seen.size < MAX_VALUES) column.seen.add(text);
      else column.isOverfull = true;
      const isKnown = column.isRequested || column.known.has(text) || (EXTRA.test(column.header) && ZERO.test(text));
      if (isKnown || column.fresh.length === MAX_SHOWN) continue;
      if (column.fresh.length === 0) column.freshLine = line;
      column.fresh.push(text);
    }
  }

  names(): string[] {
    return this.#columns.map(({ name }) => name);
  }

  doubtful(): DoubtfulColumn[] {
    return this.#columns
      .filter(({ fresh }) => fresh.length > 0)
      .map(({ name, freshLine, fresh }) => ({ name, line: freshLine, text: fresh.join(", ").slice(0, MAX_VALUE_CHARS) }));
  }

  /** What is remembered of a column: the values that the operator ignores; null if they still have to be asked about. */
  ignoredValues(header: string): readonly string[] | null {
    const column = this.#columns.find((one) => one.header === header);
    if (column === undefined || column.fresh.length > 0) return null;
    if (!column.isRequested && column.known.size === 0) return null;
    return column.isOverfull ? [] : [...new Set([...column.known, ...column.seen])].slice(-MAX_VALUES);
  }
}
