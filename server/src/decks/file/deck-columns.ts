import type { ColumnMeaning } from "@farline/contract/operator/decks.ts";
import { currencyIn } from "./currencies.ts";
import { isOtherUnit } from "./deck-units.ts";
import { columnOf, isFurtherCodes, plainHeader, type DeckColumn } from "./header-words.ts";

/** How an operator names the meaning of a column; `ignore` for one that does not matter. */
export const COLUMN_WORDS: Readonly<Record<ColumnMeaning, DeckColumn | null>> = {
  prefix: "prefixes",
  "calling-code": "callingCode",
  "area-code": "areaCodes",
  description: "description",
  country: "country",
  iso: "iso",
  type: "type",
  price: "price",
  "first-price": "firstPrice",
  "next-price": "nextPrice",
  "price-per-call": "callPrice",
  increments: "increments",
  "first-interval": "firstInterval",
  "next-interval": "nextInterval",
  effective: "effective",
  currency: "currency",
  unit: "unit",
  origins: "origins",
  forbidden: "forbidden",
  active: "active",
  change: "change",
  status: "status",
  "exact-match": "exactMatch",
  direction: "direction",
  ignore: null,
};

/** The meanings that an operator gives to headers, which are normalised. Null ignores the column. */
export type ColumnMap = ReadonlyMap<string, DeckColumn | null>;

/** The columns of a deck file, each with its indexes. Only flags and codes may have several. */
export type DeckColumns = ReadonlyMap<DeckColumn, readonly number[]>;

/** A column that is not read. */
export interface IgnoredColumn {
  readonly place: number;
  /** Its header, or its number if it has none. */
  readonly name: string;
  /** Whether it is known to identify the row alone, such as "Rate Id". */
  readonly isLabel: boolean;
}

export interface DeckHeader {
  readonly columns: DeckColumns;
  readonly ignored: readonly IgnoredColumn[];
  /** All headers, as written. */
  readonly names: readonly string[];
}

const PRICES: ReadonlySet<DeckColumn> = new Set(["price", "firstPrice", "nextPrice", "callPrice"]);
const SEVERAL: ReadonlySet<DeckColumn> = new Set(["forbidden", "active", "status", "change"]);

/**
 * Reads a header row. It must name at least the prefixes and a price.
 * @param given what the operator says about columns; a column without a header is called "column 3"
 * @returns the columns; null if the row is not a header; or an error sentence for duplicate columns, another currency or another unit
 */
export function readHeader(
  cells: readonly string[],
  given: ColumnMap = new Map(),
): DeckHeader | { readonly problem: string } | null {
  const columns = new Map<DeckColumn, number[]>();
  const ignored: IgnoredColumn[] = [];
  for (const [place, cell] of cells.entries()) {
    const name = headerName(cell, place);
    const column = given.has(name) ? (given.get(name) ?? null) : columnOf(name);
    if (column === null || column === "label") ignored.push({ place, name: cell.trim() || name, isLabel: column === "label" });
    else columns.set(column, [...(columns.get(column) ?? []), place]);
  }
  useCallingCodes(columns);
  if (!columns.has("prefixes") && !columns.has("areaCodes")) return null;
  if (!columns.has("price") && !columns.has("firstPrice")) return null;
  const problem = problemOf(cells, columns, given);
  return problem === null ? { columns, ignored, names: cells.map((cell) => cell.trim()) } : { problem };
}

/** A column's normalised header, or its number. */
function headerName(cell: string, place: number): string {
  return plainHeader(cell) || `column ${place + 1}`;
}

/** Uses the calling code as the prefix if there is no other. */
function useCallingCodes(columns: Map<DeckColumn, number[]>): void {
  const places = columns.get("callingCode");
  if (places === undefined || columns.has("prefixes") || columns.has("areaCodes")) return;
  columns.set("prefixes", places);
  columns.delete("callingCode");
}

function problemOf(cells: readonly string[], columns: DeckColumns, given: ColumnMap): string | null {
  const named = (places: readonly number[]) => places.map((place) => cells[place]?.trim()).join('" and "');
  const isSingle = (place: number) => {
    const name = headerName(cells[place] ?? "", place);
    return !given.has(name) && !isFurtherCodes(name);
  };
  const isTwice = ([column, places]: [DeckColumn, readonly number[]]) => {
    if (places.length < 2 || SEVERAL.has(column)) return false;
    // An operator, or a number as in "Code 2", says that codes go on in another column.
    return column !== "prefixes" && column !== "areaCodes" ? true : places.filter(isSingle).length > 1;
  };
  const prices = [...columns].filter(([column]) => PRICES.has(column));
  const headerOf = (places: readonly number[]) => cells[places[0] ?? 0] ?? "";
  const foreign = prices.find(([, places]) => currencyIn(headerOf(places)) === "other");
  const unit = prices.find(([column, places]) => column !== "callPrice" && isOtherUnit(headerOf(places)));
  const twice = [...columns].find(isTwice);
  if (foreign !== undefined) return `The column "${named(foreign[1])}" is not in US dollars.`;
  if (unit !== undefined)
    return `The column "${named(unit[1])}" is not per minute. Ask the carrier for prices per minute, or convert the column.`;
  if (twice !== undefined)
    return `The columns "${named(twice[1])}" have the same meaning. Say which counts, for example with --column "${cells[twice[1][1] ?? 0]?.trim()}=ignore".`;
  const codes = ["callingCode", "prefixes"].flatMap((column) => columns.get(column as DeckColumn) ?? []);
  if (columns.has("areaCodes") && codes.length !== 1)
    return `The column "${named(columns.get("areaCodes") ?? [])}" needs one other column, with the country's calling code.`;
  return null;
}
