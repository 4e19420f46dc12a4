import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckColumn, DeckColumns } from "./deck-columns.ts";
import {
  isYes,
  readIncrements,
  readPrice,
  readTwoIncrements,
  saysClosed,
  type Increments,
  type IncrementsProblem,
  type PriceProblem,
} from "./deck-values.ts";
import { readPrefixes, type PrefixProblem } from "./number-ranges.ts";

/** Why a row can't be used. The command says each in a sentence. */
export type RowProblem =
  | PrefixProblem
  | PriceProblem
  | IncrementsProblem
  | "two_prices"
  | "price_per_call"
  | "iso_form"
  | "date_form"
  | "date_unclear"
  | "prefix_twice"
  | "country_unknown";

/** Why a row is left out without being wrong. */
export type RowSkip = "other_caller_numbers" | "closed";

/** A row of a file: what the carrier takes for calls to some prefixes. */
export interface FileRow {
  readonly prefixes: readonly string[];
  readonly description: string;
  /** ISO 3166 of the file, or "" where it has none. */
  readonly iso: string;
  readonly type: string;
  readonly cost: BillingRate;
  /** As written. */
  readonly effective: string;
}

const ISO = /^[A-Z]{2}$/;
const DESCRIPTION_LENGTH = 120;
const DOLLARS = /^(?:USD|US\$|\$|US DOLLARS?)?$/i;

/**
 * Reads one row.
 * @param increments those of rows that tell none
 */
export function readDeckRow(
  cells: readonly string[],
  columns: DeckColumns,
  increments: Increments | null,
): FileRow | { readonly problem: RowProblem } | { readonly skip: RowSkip } {
  const cell = (column: DeckColumn) => (cells[columns.get(column)?.[0] ?? -1] ?? "").trim();
  // A price for calls from certain numbers. Ours is one number, whose price the row without such a list tells.
  if (cell("origins") !== "") return { skip: "other_caller_numbers" };
  const flags = (columns.get("forbidden") ?? []).map((place) => cells[place] ?? "");
  if (flags.some(isYes) || saysClosed(cell("change"))) return { skip: "closed" };
  const prefixes = readPrefixes(cell("prefixes"));
  if (typeof prefixes === "string") return { problem: prefixes };
  const price = readOnePrice(cell);
  if (typeof price === "string") return { problem: price };
  const own = readRowIncrements(cell);
  const blocks = own === "increments_missing" ? (increments ?? own) : own;
  if (typeof blocks === "string") return { problem: blocks };
  const iso = cell("iso").toUpperCase();
  if (iso !== "" && !ISO.test(iso)) return { problem: "iso_form" };
  const description = (cell("description") || cell("country")).replaceAll(/\s+/g, " ").slice(0, DESCRIPTION_LENGTH);
  return {
    prefixes,
    description,
    iso,
    type: cell("type").toLowerCase(),
    cost: { ratePerMinuteMicros: price, ...blocks },
    effective: cell("effective"),
  };
}

type Cell = (column: DeckColumn) => string;

function readOnePrice(cell: Cell): bigint | RowProblem {
  if (!DOLLARS.test(cell("currency"))) return "currency";
  const perCall = cell("callPrice");
  if (perCall !== "" && readPrice(perCall) !== "price_zero") return "price_per_call";
  const price = readPrice(cell("price") || cell("firstPrice"));
  const next = cell("nextPrice");
  return typeof price === "bigint" && next !== "" && readPrice(next) !== price ? "two_prices" : price;
}

function readRowIncrements(cell: Cell): Increments | IncrementsProblem {
  const written = cell("increments");
  if (written !== "") return readIncrements(written);
  const [first, next] = [cell("firstInterval"), cell("nextInterval")];
  // One column "increment" may hold both parts.
  return first === "" && next !== "" ? readIncrements(next) : readTwoIncrements(first, next);
}
