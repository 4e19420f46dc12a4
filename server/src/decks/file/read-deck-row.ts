import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckColumns } from "./deck-columns.ts";
import type { DeckColumn } from "./header-words.ts";
import { currencyIn } from "./currencies.ts";
import { isMinute } from "./deck-units.ts";
import {
  readIncrements,
  readPrice,
  readTwoIncrements,
  type Increments,
  type IncrementsProblem,
  type PriceProblem,
} from "./deck-values.ts";
import { readAreaCodes, readPrefixes, type PrefixProblem } from "./number-ranges.ts";
import { isClosedPrice, nameCondition, readChange, readFlag, readOpenFlag, readStatus } from "./status-words.ts";

/** Why a row cannot be used. The command renders each as a sentence. */
export type RowProblem =
  | PrefixProblem
  | PriceProblem
  | IncrementsProblem
  | "row_longer"
  | "notice_unclear"
  | "list_later"
  | "flag_unknown"
  | "conditional"
  | "unit"
  | "two_prices"
  | "price_per_call"
  | "iso_form"
  | "date_form"
  | "date_unclear"
  | "date_missing"
  | "date_far"
  | "prefix_twice"
  | "prefix_split"
  | "prefix_zero"
  | "calling_code_missing"
  | "country_unknown"
  | "country_differs";

/** Why a valid row is left out. Its prefixes are not sold at a shorter prefix's price. */
export type RowSkip = "other_caller_numbers" | "closed" | "on_request";

/** A row of a file: some prefixes, and what it offers for them. */
export interface FileRow {
  readonly prefixes: readonly string[];
  readonly offer: FileOffer;
}

/** What a row says about its prefixes. Rows that say the same share it, because a million rows have only a few thousand. */
export interface FileOffer {
  /** From a separate column; the prefixes may lack it. "" without one. */
  readonly callingCode: string;
  readonly description: string;
  /** The country column, as written. */
  readonly country: string;
  /** The file's ISO 3166 code, or "". */
  readonly iso: string;
  readonly type: string;
  /** Null if the row is left out. */
  readonly cost: BillingRate | null;
  readonly skip: RowSkip | null;
  /** As written. */
  readonly effective: string;
}

const DESCRIPTION_LENGTH = 120;
/** In a name: "from 01.12.2026", "+10%", "now 0.02". */
const PRICE_OR_DATE = /\d[.,]\d|%|\d{1,2}[./-]\d{1,2}[./-](?:20)?\d{2}(?!\d)/;
/** Carriers' terms for a price that applies to all caller numbers. */
const ALL_ORIGINS = /^(?:all|any|default|world|worldwide|\*)$/i;
/** Codes in use besides ISO 3166. */
const OTHER_CODES: Readonly<Record<string, string>> = { UK: "GB" };

/**
 * Reads one row.
 * @param options.increments for rows that contain none
 * @param options.isLeftOut whether the operator leaves the line out, so that only its prefixes count
 */
export function readDeckRow(
  cells: readonly string[],
  columns: DeckColumns,
  options: { readonly increments: Increments | null; readonly isLeftOut: boolean },
): FileRow | { readonly problem: RowProblem } {
  const cell = (column: DeckColumn) => (cells[columns.get(column)?.[0] ?? -1] ?? "").trim();
  const codes = (column: DeckColumn) => joined(cells, columns.get(column) ?? []);
  const skip = options.isLeftOut ? "on_request" : skipOf(cells, columns, cell);
  if (skip === "flag_unknown" || skip === "conditional") return { problem: skip };
  const prefixes = columns.has("areaCodes") ? readSplitPrefixes(cell, codes) : readPrefixes(codes("prefixes"));
  if (typeof prefixes === "string") {
    // A note below the prices has no digits in the prefix columns.
    const isNote = skip === "on_request" && !/\d/.test(codes("prefixes") + codes("areaCodes"));
    if (!isNote) return { problem: prefixes };
  }
  const calling = cell("callingCode");
  // "Country Code" may be a column of letters.
  const isLetters = /^[a-z]{2}$/i.test(calling);
  const iso = readIso(cell("iso") || (isLetters ? calling : ""));
  if (iso === null && skip !== "on_request") return { problem: "iso_form" };
  const read = typeof prefixes === "string" ? [] : prefixes;
  const facts = {
    callingCode: columns.has("areaCodes") || isLetters ? "" : calling.replace(/^(?:\+|00)/, ""),
    description: (cell("description") || cell("country")).replaceAll(/\s+/g, " ").slice(0, DESCRIPTION_LENGTH),
    country: cell("country"),
    iso: iso ?? "",
    type: cell("type").toLowerCase(),
    effective: cell("effective"),
  };
  if (skip !== null) return { prefixes: read, offer: { ...facts, cost: null, skip } };
  const price = readOnePrice(cell);
  if (typeof price === "string") return { problem: price };
  const own = readRowIncrements(cell);
  const blocks = own === "increments_missing" ? (options.increments ?? own) : own;
  if (typeof blocks === "string") return { problem: blocks };
  return { prefixes: read, offer: { ...facts, cost: { ratePerMinuteMicros: price, ...blocks }, skip } };
}

type Cell = (column: DeckColumn) => string;

/** Why a row is not sold, or why that is not certain. A word that is not known to mean "open" never is. */
function skipOf(cells: readonly string[], columns: DeckColumns, cell: Cell): RowSkip | "flag_unknown" | "conditional" | null {
  // A price for certain caller numbers. Ours is charged by the row without such a list.
  if (cell("origins") !== "" && !ALL_ORIGINS.test(cell("origins"))) return "other_caller_numbers";
  const meaning = openness(cells, columns);
  if (meaning === "closed" || isClosedPrice(cell("price") || cell("firstPrice"))) return "closed";
  if (meaning === "unknown") return "flag_unknown";
  // An exact number's price is not that of its prefix, and incoming calls cost something else.
  if (readFlag(cell("exactMatch")) !== "no" || !OUTBOUND.test(cell("direction"))) return "conditional";
  if (PRICE_OR_DATE.test(cell("description"))) return "conditional";
  return nameCondition(cell("description")) ?? nameCondition(cell("country")) ?? nameCondition(cell("type"));
}

const OUTBOUND = /^(?:out|outbound|outgoing|termination|\[?"?inbound"?,\s*"?outbound"?\]?|both)?$/i;

/** What flags, statuses and change words say together: one for closed is enough, and each must be known. */
function openness(cells: readonly string[], columns: DeckColumns): "open" | "closed" | "unknown" {
  let isKnown = true;
  for (const column of ["forbidden", "active", "status", "change"] as const) {
    for (const place of columns.get(column) ?? []) {
      const meaning = meaningOf(column, cells[place] ?? "");
      if (meaning === "closed") return "closed";
      if (meaning === "unknown") isKnown = false;
    }
  }
  return isKnown ? "open" : "unknown";
}

function meaningOf(column: "forbidden" | "active" | "status" | "change", text: string): "open" | "closed" | "unknown" {
  if (column === "active") return readOpenFlag(text);
  if (column === "status") return readStatus(text);
  if (column === "change") return readChange(text);
  const flag = readFlag(text);
  return flag === "yes" ? "closed" : flag === "no" ? "open" : "unknown";
}

/** The codes of a row, which may go on in further columns. */
function joined(cells: readonly string[], places: readonly number[]): string {
  if (places.length === 1) return (cells[places[0] ?? -1] ?? "").trim();
  return places
    .map((place) => (cells[place] ?? "").trim())
    .filter((text) => text !== "")
    .join(", ");
}

/** Reads prefixes from a calling-code column and an area-code column. */
function readSplitPrefixes(cell: Cell, codes: Cell): readonly string[] | PrefixProblem {
  const calling = cell("callingCode") || cell("prefixes");
  return readAreaCodes(calling, codes("areaCodes"));
}

function readIso(text: string): string | null {
  const code = text.toUpperCase();
  const known = OTHER_CODES[code] ?? code;
  return known === "" || countryByCode(known) !== undefined ? known : null;
}

function readOnePrice(cell: Cell): bigint | RowProblem {
  const currency = cell("currency");
  if (currency !== "" && currencyIn(currency) !== "dollars") return "currency";
  if (cell("unit") !== "" && !isMinute(cell("unit"))) return "unit";
  const perCall = cell("callPrice");
  if (perCall !== "" && readPrice(perCall) !== "price_zero") return "price_per_call";
  const price = readPrice(cell("price") || cell("firstPrice"));
  if (typeof price === "string") return price;
  const others = [cell("firstPrice"), cell("nextPrice")].filter((text) => text !== "");
  return others.some((text) => readPrice(text) !== price) ? "two_prices" : price;
}

function readRowIncrements(cell: Cell): Increments | IncrementsProblem {
  const written = cell("increments");
  const [first, next] = [cell("firstInterval"), cell("nextInterval")];
  if (written !== "") {
    const read = readIncrements(written);
    const isTwice = typeof read === "object" && (first !== "" || next !== "");
    return isTwice && !sameIncrements(read, readTwoIncrements(first || next, next)) ? "increments_unclear" : read;
  }
  // A single column "increment" may contain both parts.
  return first === "" && next !== "" ? readIncrements(next) : readTwoIncrements(first, next);
}

function sameIncrements(one: Increments, other: Increments | IncrementsProblem): boolean {
  if (typeof other === "string") return false;
  return one.firstIntervalSeconds === other.firstIntervalSeconds && one.nextIntervalSeconds === other.nextIntervalSeconds;
}
