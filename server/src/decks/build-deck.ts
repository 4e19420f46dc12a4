import { numberType } from "@farline/contract/rates.ts";
import { buildRateTable, matchPrefix, type DeckRow, type RateTable } from "@farline/domain/rates/rating.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { pricedRow, type PricedRow } from "../rates/rates.ts";
import { orderOf, readDate, type DateOrder } from "./file/deck-dates.ts";
import type { BadRows, DeckFile } from "./file/read-deck-file.ts";
import type { FileRow } from "./file/read-deck-row.ts";

const TYPES: ReadonlySet<string> = new Set(numberType.options);
const MOBILE_WORDS = /\b(?:mobile|mob|cell|cellular|gsm|umts|pcs)\b/i;
const LANDLINE_WORDS = /\b(?:fixed|landline|proper|wireline)\b/i;

/** The rows of a file that hold at one time, sold at our prices. */
export interface BuiltDeck {
  /** By prefix. */
  readonly rows: readonly PricedRow[];
  /** Rows that begin later, and the first of their times. */
  readonly later: { readonly rows: number; readonly first: Date | null };
  /** Rows that an other row of the same prefix replaces or repeats. */
  readonly replaced: number;
}

type DatedRow = FileRow & { readonly line: number; readonly from: number };

/**
 * Makes a deck of a file. For each prefix the row with the latest date that has come counts.
 * @param options.at when the deck is to be in force
 * @param options.dates the order of day and month where the file does not show it
 * @param reference tells the country and type of every number range
 * @param bad gets the rows that can't be used
 */
export function buildDeck(
  file: DeckFile,
  options: { readonly at: Date; readonly dates: DateOrder | null },
  reference: readonly DeckRow[],
  bad: BadRows,
): BuiltDeck {
  const { rows: dated, later } = inForce(file, options, bad);
  const byPrefix = new Map<string, DatedRow>();
  let replaced = 0;
  for (const row of dated)
    for (const prefix of row.prefixes) {
      const other = byPrefix.get(prefix);
      if (other !== undefined) {
        replaced += 1;
        if (other.from === row.from && !sameTerms(other.cost, row.cost))
          bad.add(row.line, "prefix_twice", `${prefix}, also in line ${other.line}`);
      }
      if (other === undefined || row.from > other.from) byPrefix.set(prefix, row);
    }
  const table = buildRateTable(reference);
  // A million rows have a few thousand prices, and the file's reader shares them.
  const sales = new Map<BillingRate, PricedRow>();
  const rows: PricedRow[] = [];
  for (const [prefix, row] of byPrefix) {
    const range = describe(prefix, row, table);
    if (range === null) {
      bad.add(row.line, "country_unknown", prefix);
      continue;
    }
    const sale = sales.get(row.cost) ?? pricedRow(range, row.cost);
    sales.set(row.cost, sale);
    rows.push({ ...sale, ...range });
  }
  return { rows: rows.toSorted(byText), later, replaced };
}

function inForce(
  file: DeckFile,
  { at, dates }: { readonly at: Date; readonly dates: DateOrder | null },
  bad: BadRows,
): { rows: DatedRow[]; later: BuiltDeck["later"] } {
  const order = dates ?? orderOf(new Set(file.rows.map((row) => row.effective)));
  const rows: DatedRow[] = [];
  let later = 0;
  let first: Date | null = null;
  for (const row of file.rows) {
    const from = readDate(row.effective, order);
    if (typeof from === "string") bad.add(row.line, from, row.effective);
    else if (from === null || from <= at) rows.push({ ...row, from: from?.getTime() ?? 0 });
    else {
      later += 1;
      if (first === null || from < first) first = from;
    }
  }
  return { rows, later: { rows: later, first } };
}

/** Where a prefix leads, or null when neither the file nor the numbering plans tell its country. */
function describe(
  prefix: string,
  row: FileRow,
  table: RateTable,
): Pick<DeckRow, "prefix" | "description" | "countryCode" | "numberType"> | null {
  const known = matchPrefix(table, prefix);
  const countryCode = row.iso || known?.countryCode;
  if (countryCode === undefined) return null;
  const description = row.description || known?.description || countryCode;
  return { prefix, description, countryCode, numberType: typeOf(row, known?.numberType) };
}

/** What is never connected stays so, whatever the carrier calls it. */
function typeOf(row: FileRow, known: string | undefined): string {
  if (known !== undefined && known !== "mobile" && known !== "landline" && known !== "fixed_or_mobile") return known;
  if (TYPES.has(row.type)) return row.type;
  if (MOBILE_WORDS.test(row.description)) return "mobile";
  if (LANDLINE_WORDS.test(row.description)) return "landline";
  return known ?? "fixed_or_mobile";
}

export function sameTerms(one: BillingRate, other: BillingRate): boolean {
  return (
    one.ratePerMinuteMicros === other.ratePerMinuteMicros &&
    one.firstIntervalSeconds === other.firstIntervalSeconds &&
    one.nextIntervalSeconds === other.nextIntervalSeconds
  );
}

function byText(one: PricedRow, other: PricedRow): number {
  if (one.prefix === other.prefix) return 0;
  return one.prefix < other.prefix ? -1 : 1;
}
