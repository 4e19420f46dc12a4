/** What a column of a deck tells. */
export type DeckColumn =
  | "prefixes"
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

/** Headers as carriers and switches write them, in plain small letters. */
const HEADERS: Readonly<Record<DeckColumn, readonly string[]>> = {
  prefixes: ["prefix", "prefixes", "destination prefixes", "destination prefix", "dial prefix", "dialprefix", "dial code"].concat(
    ["dial codes", "code", "codes", "phone prefix", "dialled prefix"],
  ),
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
    "minimum",
    "min duration",
  ]),
  nextInterval: ["interval n", "next interval", "next interval s", "increment", "rate increment", "billing block", "block"],
  effective: ["effective", "effective date", "effective from", "start date", "valid from", "activation date"],
  currency: ["currency"],
  origins: ["origination prefixes", "origination prefix", "origin prefixes", "src codes"],
  forbidden: ["forbidden", "discontinued", "blocked"],
  change: ["change", "status", "action", "change type"],
};
const BY_HEADER = new Map(
  Object.entries(HEADERS).flatMap(([column, names]) => names.map((name) => [name, column as DeckColumn])),
);
const CURRENCY_IN_HEADER = /\b(usd|us dollars?|eur|euros?|gbp|pence|cents?)\b/;

/** The columns of a deck, each with its places from 0. Only `forbidden` may have several. */
export type DeckColumns = ReadonlyMap<DeckColumn, readonly number[]>;

/**
 * The columns of a header row, or null when the row is none: one names at least the prefixes and a price.
 * @returns columns, or the names that stand for the same column twice or are in another currency
 */
export function readHeader(cells: readonly string[]): DeckColumns | { readonly problem: string } | null {
  const columns = new Map<DeckColumn, number[]>();
  for (const [place, cell] of cells.entries()) {
    const name = plain(cell);
    const column = BY_HEADER.get(name.replace(CURRENCY_IN_HEADER, "").replaceAll("  ", " ").trim());
    if (column === undefined) continue;
    const currency = CURRENCY_IN_HEADER.exec(name)?.[1];
    if (currency !== undefined && !currency.startsWith("us"))
      return { problem: `The column "${cell.trim()}" is not in US dollars.` };
    columns.set(column, [...(columns.get(column) ?? []), place]);
  }
  const hasPrice = columns.has("price") || columns.has("firstPrice");
  if (!columns.has("prefixes") || !hasPrice) return null;
  const twice = [...columns].find(([column, places]) => places.length > 1 && column !== "forbidden");
  if (twice !== undefined)
    return {
      problem: `The columns "${twice[1].map((place) => cells[place]?.trim()).join('" and "')}" mean the same. Remove one.`,
    };
  return columns;
}

function plain(header: string): string {
  return header
    .normalize("NFKD")
    .replaceAll("$", " usd ")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();
}
