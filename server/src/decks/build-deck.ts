import { numberType } from "@farline/contract/rates.ts";
import type { MarkUp } from "@farline/domain/business/mark-up.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { type DeckBlock, pricedRow, type PricedRow } from "../rates/rates.ts";
import { type BadRows, plainWord } from "./file/bad-rows.ts";
import { type DateOrder, dateReading, type DateReading, type DeckDate, readDate } from "./file/deck-dates.ts";
import type { DeckFile } from "./file/read-deck-file.ts";
import type { FileOffer } from "./file/read-deck-row.ts";
import { coveredCountries } from "./plan/covered-countries.ts";
import { callingCodeOf, LONGEST_CALLING_CODE, type NumberingPlan, type PlanRange } from "./plan/numbering-plan.ts";

const TYPES: ReadonlySet<string> = new Set(numberType.options);

const MAX_AHEAD_MS = 2 * 366 * DAY_MS;

const MOBILE_WORDS = /\b(?:mobile|mob|cell|cellular|gsm|umts|pcs)\b/i;

const LANDLINE_WORDS = /\b(?:fixed|landline|proper|wireline)\b/i;

/** The rows of a file that apply at one time, at our prices. */
export interface BuiltDeck {
  /** Sorted by prefix. */
  readonly rows: DeckRows<PricedRow>;
  /** Sorted by prefix: numbers under a row's prefix that are not sold. */
  readonly blocks: readonly DeckBlock[];
  /** The reasons for blocks: these countries lie under another country's row, and this many prefixes are not open. */
  readonly underOthers: readonly OtherCountry[];
  readonly notOpen: number;
  /** Rows that begin later, their earliest time, and the number of prefixes that only such rows have. */
  readonly later: { readonly rows: number; readonly first: Date | null; readonly prefixes: number };
  /** Rows that another row of the same prefix replaces or repeats. */
  readonly replaced: number;
}

/** A country whose numbers lie under a row of another country. */
interface OtherCountry {
  readonly countryCode: string;
  /** One of its prefixes, and their number. */
  readonly prefix: string;
  readonly prefixes: number;
  /** The enclosing row's line. */
  readonly line: number;
}

/** What a row says about one of its prefixes. */
interface Entry {
  readonly offer: FileOffer;
  readonly line: number;
  readonly from: number;
  readonly countries: readonly string[];
  /** Another row with this prefix, for other countries. A list would need 40 bytes for each of a million prefixes. */
  readonly next: Entry | null;
}

/** By prefix; null for one that only closed, later or left-out rows have. */
type Entries = Map<string, Entry | null>;

type Rows = DeckFile["rows"];

type Row = Rows[number];

/**
 * Builds a deck from a file: every number of the numbering plans gets the price of a row meant for it, or none. For each prefix, the row
 * with the latest past date counts. Prefixes that are closed, begin later or were left out exclude their numbers from shorter prefixes,
 * and so do other countries' ranges.
 * @param fileRows rows of a file; the array is emptied, so that a million rows are not in memory longer than needed
 * @param options.at the time at which the deck will be active
 * @param options.markUp from which prices follow
 * @param options.dates the order of day and month if the file does not reveal it
 * @param options.starts dates of notices, by which the list must have begun
 * @param bad collects the unusable rows
 */
export function buildDeck(
  fileRows: DeckFile["rows"],
  options: {
    readonly at: Date;
    readonly dates: DateOrder | null;
    readonly markUp: MarkUp;
    readonly starts: DeckFile["starts"];
  },
  plan: NumberingPlan,
  bad: BadRows,
): BuiltDeck {
  const rows = joinCallingCodes(fileRows, bad);
  const written = new Set(rows.map((row) => row.offer.effective));
  for (const { text } of options.starts) written.add(text);
  const reading = dateReading(written, options.dates, options.at);
  checkStarts(options, reading, bad);
  const entries: Entries = new Map();
  const later = { rows: 0, first: null as Date | null, prefixes: 0 };
  const waiting = new Set<string>();
  let replaced = 0;
  let isBelowLater = false;
  rows.reverse();
  for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
    const { effective, skip } = row.offer;
    const from = readStart(effective, reading, options.at);
    if (skip !== "on_request" && hasTrunkZero(row.prefixes, plan)) bad.add(row.line, "prefix_zero", row.prefixes.join(" "));
    else if (skip === "on_request" || skip === "other_caller_numbers") addEmpty(entries, row.prefixes);
    else if (typeof from === "string") {
      if (bad.isLeftOut(from, plainWord(effective))) addEmpty(entries, row.prefixes);
      else bad.add(row.line, from, effective, plainWord(effective));
    } else if (effective === "" && isBelowLater) bad.add(row.line, "date_missing", row.prefixes.join(" "));
    else if (from !== null && from > options.at) {
      later.rows += 1;
      if (later.first === null || from < later.first) later.first = from;
      addEmpty(entries, row.prefixes);
      for (const prefix of row.prefixes) waiting.add(prefix);
    } else replaced += addOpen(entries, { row, from: from?.getTime() ?? 0 }, plan, bad);
    // Merged cells leave the rows below a date empty.
    if (effective !== "") isBelowLater = from instanceof Date && from > options.at;
  }
  for (const prefix of waiting) if (entries.get(prefix) === null) later.prefixes += 1;
  return { ...spread(entries, plan, options.markUp), later, replaced };
}

/** A date far ahead would leave its prefix unsold for years. */
function readStart(text: string, reading: DateReading, at: Date): DeckDate | "date_far" {
  const from = readDate(text, reading);
  return from instanceof Date && from.getTime() - at.getTime() > MAX_AHEAD_MS ? "date_far" : from;
}

/** A list that begins later than the deck, by one of its notices, is not meant for it. */
function checkStarts(
  { starts, at }: { readonly starts: DeckFile["starts"]; readonly at: Date },
  reading: DateReading,
  bad: BadRows,
): void {
  for (const { line, text } of starts) {
    const from = readStart(text, reading, at);
    if (typeof from === "string") bad.add(line, from, text);
    else if (from !== null && from > at) bad.add(line, "list_later", text);
  }
}

/** Whether prefixes begin with a trunk prefix, as in `44 | 020`, which no number from abroad has. */
function hasTrunkZero(prefixes: readonly string[], plan: NumberingPlan): boolean {
  return prefixes.some((prefix) => {
    const zero = prefix.indexOf("0");
    if (zero < 1 || zero > LONGEST_CALLING_CODE) return false;
    const calling = callingCodeOf(prefix);
    // A list may have "440" among all tens, but "44020" is London as dialled at home.
    if (calling === null || prefix[calling.length] !== "0" || prefix.length === calling.length + 1) return false;
    return !plan.hasZeroAfter(calling) && (plan.at(prefix)?.prefix.length ?? 0) <= calling.length && !plan.hasRangeWithin(prefix);
  });
}

function addEmpty(entries: Entries, prefixes: readonly string[]): void {
  for (const prefix of prefixes) if (!entries.has(prefix)) entries.set(prefix, null);
}

/** @returns the number of the row's prefixes that repeat an earlier row's */
function addOpen(
  entries: Entries,
  { row, from }: { readonly row: DeckFile["rows"][number]; readonly from: number },
  plan: NumberingPlan,
  bad: BadRows,
): number {
  let replaced = 0;
  const { prefixes, offer, line } = row;
  const { iso, country, description, cost } = offer;
  for (const prefix of prefixes) {
    const countries = coveredCountries(plan, prefix, offer);
    if (typeof countries === "string") {
      const word = plainWord(country || description);
      if (bad.isLeftOut(countries, word)) addEmpty(entries, [prefix]);
      else bad.add(line, countries, `${prefix} ${iso} ${country} ${description}`.replaceAll(/\s+/g, " "), word);
      continue;
    }
    const first = entries.get(prefix) ?? null;
    const others = chainOf(first);
    const other = others.find((one) => one.countries.some((code) => countries.includes(code)));
    if (other === undefined) {
      entries.set(prefix, { offer, line, from, countries, next: first });
      continue;
    }
    replaced += 1;
    const isSame = other.countries.join() === countries.join();
    if ((other.from === from || !isSame) && !sameOffer(other.offer.cost, cost))
      bad.add(line, "prefix_twice", `${prefix}, also in line ${other.line}`);
    if (from <= other.from) continue;
    const kept = others.filter((one) => one !== other).reduce<Entry | null>((next, one) => ({ ...one, next }), null);
    entries.set(prefix, { offer, line, from, countries, next: kept });
  }
  return replaced;
}

/** In the order of the file. */
function chainOf(first: Entry | null): Entry[] {
  const chain: Entry[] = [];
  for (let entry = first; entry !== null; entry = entry.next) chain.push(entry);
  return chain.reverse();
}

function sameOffer(one: BillingRate | null, other: BillingRate | null): boolean {
  return one === null || other === null ? one === other : sameTerms(one, other);
}

/** A position in the walk over prefixes: the enclosing entries of the file, the plan's range, and what is sold there. */
interface Place {
  readonly prefix: string;
  readonly entries: readonly Entry[];
  readonly range: PlanRange | null;
  readonly sold: Entry | null;
}

/** Walks over the prefixes of file and plans in order, and writes a row or a block wherever the price changes. */
function spread(
  entries: ReadonlyMap<string, Entry | null>,
  plan: NumberingPlan,
  markUp: MarkUp,
): Pick<BuiltDeck, "rows" | "blocks" | "underOthers" | "notOpen"> {
  const rows = new DeckRows<PricedRow>();
  const blocks: DeckBlock[] = [];
  const others = new Map<string, OtherCountry>();
  const sales = new Map<BillingRate, PricedRow>();
  let notOpen = 0;
  const path: Place[] = [{ prefix: "", entries: [], range: null, sold: null }];
  for (const prefix of prefixesOf(entries, plan)) {
    while (!prefix.startsWith(path.at(-1)?.prefix ?? "")) path.pop();
    const around = path.at(-1) as Place;
    const own = entries.get(prefix);
    const place = placeAt(prefix, own === undefined ? around.entries : chainOf(own), plan.ranges.get(prefix) ?? around.range);
    path.push(place);
    const { range, sold } = place;
    if (sold !== null && range !== null) {
      const isNew = own !== undefined || sold !== around.sold || range.countryCode !== around.range?.countryCode;
      if (isNew) rows.add(priceOf(prefix, { offer: sold.offer, range, markUp }, sales));
    } else if (around.sold !== null && range !== null) {
      blocks.push({ prefix, countryCode: range.countryCode });
      if (place.entries.length === 0 || place.entries.some(({ offer }) => offer.cost === null)) notOpen += 1;
      else others.set(range.countryCode, countOther(others.get(range.countryCode), prefix, range.countryCode, around.sold.line));
    }
  }
  return { rows, blocks, underOthers: [...others.values()], notOpen };
}

/** The prefixes of file and plans in order. */
function prefixesOf(entries: ReadonlyMap<string, unknown>, { ranges }: NumberingPlan): string[] {
  const prefixes = [...entries.keys()];
  for (const prefix of ranges.keys()) if (!entries.has(prefix)) prefixes.push(prefix);
  return prefixes.sort();
}

function placeAt(prefix: string, entries: readonly Entry[], range: PlanRange | null): Place {
  const meant = range === null ? undefined : entries.find(({ countries }) => countries.includes(range.countryCode));
  return { prefix, entries, range, sold: meant === undefined || meant.offer.cost === null ? null : meant };
}

function countOther(known: OtherCountry | undefined, prefix: string, countryCode: string, line: number): OtherCountry {
  return known === undefined ? { countryCode, prefix, prefixes: 1, line } : { ...known, prefixes: known.prefixes + 1 };
}

/** @param sales the prices that follow from each cost, because a million rows have only a few thousand */
function priceOf(
  prefix: string,
  { offer, range, markUp }: { readonly offer: FileOffer; readonly range: PlanRange; readonly markUp: MarkUp },
  sales: Map<BillingRate, PricedRow>,
): PricedRow {
  const cost = offer.cost as BillingRate;
  const where = {
    prefix,
    description: offer.description || range.description,
    countryCode: range.countryCode,
    numberType: typeOf(offer, range.numberType),
  };
  const sale = sales.get(cost) ?? pricedRow(where, cost, markUp);
  sales.set(cost, sale);
  return { ...sale, ...where };
}

/** The number type of a row. Types that are never connected cannot be changed by the carrier's description. */
function typeOf({ type, description }: FileOffer, known: string): string {
  if (known !== "mobile" && known !== "landline" && known !== "fixed_or_mobile") return known;
  if (TYPES.has(type)) return type;
  if (MOBILE_WORDS.test(description)) return "mobile";
  return LANDLINE_WORDS.test(description) ? "landline" : known;
}

export function sameTerms(one: BillingRate, other: BillingRate): boolean {
  return (
    one.ratePerMinuteMicros === other.ratePerMinuteMicros &&
    one.firstIntervalSeconds === other.firstIntervalSeconds &&
    one.nextIntervalSeconds === other.nextIntervalSeconds
  );
}

/**
 * Completes the prefixes of a file that has a separate calling-code column. If every prefix begins with its row's calling code, they are
 * complete; if none does, the calling code is added. In a mixed file, prefixes that begin with it are ambiguous and bad. So is a row
 * without a calling code, unless it is a merged cell for certain.
 */
export function joinCallingCodes(rows: Rows, bad: BadRows): Rows {
  if (rows.every((row) => row.offer.callingCode === "")) return rows;
  const isComplete = rows.every((row) => row.offer.callingCode === "" || begins(row, row.offer.callingCode));
  let above: Row | null = null;
  return rows.flatMap((row) => {
    const written = row.offer.callingCode;
    if (row.offer.skip === "on_request" && written === "") return [row];
    const callingCode = written === "" ? mergedCode(row, above, isComplete) : written;
    if (callingCode === null) {
      bad.add(row.line, "calling_code_missing", row.prefixes.join(" "));
      return [];
    }
    if (written !== "") above = row;
    if (isComplete) return [row];
    if (!/^[1-9]\d{0,3}$/.test(callingCode) || row.prefixes.some((prefix) => prefix.startsWith(callingCode))) {
      bad.add(row.line, "prefix_split", `${callingCode} | ${row.prefixes.join(" ")}`);
      return [];
    }
    return [{ ...row, prefixes: row.prefixes.map((prefix) => callingCode + prefix) }];
  });
}

function begins(row: Row, callingCode: string): boolean {
  return row.prefixes.every((prefix) => prefix.startsWith(callingCode));
}

/** The calling code of the row above, if it was merged with this row's cell for certain; null if that is not known. */
function mergedCode(row: Row, above: Row | null, isComplete: boolean): string | null {
  if (above === null) return null;
  const { callingCode, country, iso } = above.offer;
  if (isComplete) return begins(row, callingCode) ? callingCode : null;
  const isSame = (one: string, other: string) => one === "" || one === other;
  const names = country !== "" || iso !== "";
  return names && isSame(row.offer.country, country) && isSame(row.offer.iso, iso) ? callingCode : null;
}
