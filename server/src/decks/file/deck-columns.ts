import { currencyIn, withoutCurrency } from "./currencies.ts";

/** The meaning of a deck file's column. */
export type DeckColumn =
  | "prefixes"
  | "callingCode"
  | "areaCodes"
  | "description"
  | "country"
  | "iso"
  | "type"
  | "price"
  | "firstPrice"
  | "nextPrice"
  | "callPrice"
  | "increments"
  | "firstInterval"
  | "nextInterval"
  | "effective"
  | "currency"
  | "origins"
  | "forbidden"
  | "change";

/** How an operator names the meaning of a column; `ignore` for one that does not matter. */
export const COLUMN_WORDS: Readonly<Record<string, DeckColumn | null>> = {
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
  origins: "origins",
  forbidden: "forbidden",
  change: "change",
  ignore: null,
};

/** The meanings that an operator gives to headers, which are normalised. Null ignores the column. */
export type ColumnMap = ReadonlyMap<string, DeckColumn | null>;

/** Headers used by carriers and switches, normalised (see `plainHeader`). */
const HEADERS: Readonly<Record<DeckColumn, readonly string[]>> = {
  prefixes: ["prefix", "prefixes", "destination prefixes", "destination prefix", "dial prefix", "dialprefix", "dial code"].concat(
    ["dial codes", "dialling code", "dialcode", "code", "codes", "phone prefix", "dialled prefix", "destination code"],
  ),
  callingCode: ["country code", "country codes", "cc", "calling code", "country calling code", "country dial code"].concat([
    "country prefix",
    "intl code",
    "international code",
  ]),
  areaCodes: ["area code", "area codes", "city code", "city codes", "city code s", "ndc", "national code", "region code"].concat([
    "regional code",
    "local code",
    "areacode",
    "citycode",
  ]),
  description: ["description", "destination", "destination name", "route", "zone", "name"],
  country: ["country", "country name"],
  iso: ["iso", "iso2", "iso code", "country iso", "prefix iso country code", "iso country code"],
  type: ["number type", "type"],
  price: ["rate", "price", "rate min", "price min", "rate per minute", "price per min", "price per minute", "cost"].concat([
    "per minute cost",
    "rate cost",
    "cost per minute",
    "voice rate",
  ]),
  firstPrice: ["price 1"],
  nextPrice: ["price n"],
  callPrice: ["price per call", "connect cost", "connection fee", "connect charge", "rate surcharge", "connection charge"],
  increments: ["billing", "billing increment", "billing increments", "increments", "bi type", "pulse", "rounding"],
  firstInterval: ["interval 1", "first interval", "first interval s", "initial increment", "initial", "initial block"].concat([
    "rate minimum",
  ]),
  nextInterval: ["interval n", "next interval", "next interval s", "increment", "rate increment", "billing block", "block"],
  effective: ["effective", "effective date", "effective from", "start date", "valid from", "activation date"],
  currency: ["currency", "curr", "cur", "ccy", "currency code", "wahrung", "devise", "moneda", "valuta"],
  origins: ["origination prefixes", "origination prefix", "origin prefixes", "src codes"],
  forbidden: ["forbidden", "discontinued", "blocked"],
  change: ["change", "status", "action", "change type"],
};
const BY_HEADER = new Map(
  Object.entries(HEADERS).flatMap(([column, names]) => names.map((name) => [name, column as DeckColumn])),
);
/** The columns of a deck file, each with its indexes. Only `forbidden` may have several. */
export type DeckColumns = ReadonlyMap<DeckColumn, readonly number[]>;

/** A column that is not read. */
export interface IgnoredColumn {
  readonly place: number;
  /** Its header, or its number if it has none. */
  readonly name: string;
  /** Whether the operator chose to ignore it. */
  readonly isRequested: boolean;
}

export interface DeckHeader {
  readonly columns: DeckColumns;
  readonly ignored: readonly IgnoredColumn[];
  /** All headers, as written. */
  readonly names: readonly string[];
}

const PRICES: ReadonlySet<DeckColumn> = new Set(["price", "firstPrice", "nextPrice", "callPrice"]);

/**
 * Reads a header row. It must name at least the prefixes and a price.
 * @param given what the operator says about columns; a column without a header is called "column 3"
 * @returns the columns; null if the row is not a header; or an error sentence for duplicate columns or another currency
 */
export function readHeader(
  cells: readonly string[],
  given: ColumnMap = new Map(),
): DeckHeader | { readonly problem: string } | null {
  const columns = new Map<DeckColumn, number[]>();
  const ignored: IgnoredColumn[] = [];
  for (const [place, cell] of cells.entries()) {
    const name = plainHeader(cell) || `column ${place + 1}`;
    const isRequested = given.has(name);
    const column = isRequested ? given.get(name) : (BY_HEADER.get(name) ?? BY_HEADER.get(withoutCurrency(name)));
    if (column === undefined || column === null) ignored.push({ place, name: cell.trim() || name, isRequested });
    else columns.set(column, [...(columns.get(column) ?? []), place]);
  }
  useCallingCodes(columns);
  if (!columns.has("prefixes") && !columns.has("areaCodes")) return null;
  if (!columns.has("price") && !columns.has("firstPrice")) return null;
  const problem = problemOf(cells, columns);
  return problem === null ? { columns, ignored, names: cells.map((cell) => cell.trim()) } : { problem };
}

/** Uses the calling code as the prefix if there is no other. */
function useCallingCodes(columns: Map<DeckColumn, number[]>): void {
  const places = columns.get("callingCode");
  if (places === undefined || columns.has("prefixes") || columns.has("areaCodes")) return;
  columns.set("prefixes", places);
  columns.delete("callingCode");
}

function problemOf(cells: readonly string[], columns: DeckColumns): string | null {
  const named = (places: readonly number[]) => places.map((place) => cells[place]?.trim()).join('" and "');
  const twice = [...columns].find(([column, places]) => places.length > 1 && column !== "forbidden");
  const foreign = [...columns].find(
    ([column, places]) => PRICES.has(column) && currencyIn(cells[places[0] ?? 0] ?? "") === "other",
  );
  if (foreign !== undefined) return `The column "${named(foreign[1])}" is not in US dollars.`;
  if (twice !== undefined)
    return `The columns "${named(twice[1])}" have the same meaning. Say which counts, for example with --column "${cells[twice[1][1] ?? 0]?.trim()}=ignore".`;
  const codes = ["callingCode", "prefixes"].flatMap((column) => columns.get(column as DeckColumn) ?? []);
  if (columns.has("areaCodes") && codes.length !== 1)
    return `The column "${named(columns.get("areaCodes") ?? [])}" needs one other column, with the country's calling code.`;
  return null;
}

/** Normalises a header to lower-case letters and digits with single spaces. */
export function plainHeader(header: string): string {
  return header
    .normalize("NFKD")
    .replaceAll("$", " usd ")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();
}
