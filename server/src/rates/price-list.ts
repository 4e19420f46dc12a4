import type { CountrySummary, Rate } from "@farline/contract/rates.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import { countries, countryByCode, type Country } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { DeckRow, DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { usualPrice, type PrefixPrice } from "@farline/domain/rates/usual-price.ts";
import type { CalledPrefix, DeckBlock } from "./rates.store.ts";

/** A deck's prices as shown on pages. */
export interface PriceList {
  /** One entry per selectable country and number type, sorted by country name. */
  readonly rates: readonly Rate[];
  readonly summaries: readonly CountrySummary[];
  /** What most calls to the country's numbers of a type cost; null if it has none. */
  usualRate(countryCode: string, type: ListedType): string | null;
  /** All rows by which numbers of this country are charged, including special numbers; empty if there are none. */
  rowsOf(countryCode: string): readonly DeckRow[];
}

const LISTED_TYPES = ["mobile", "landline"] as const;
/** Counted calls to special numbers, or of no country, are never looked up. */
const NO_CALLS: ReadonlyMap<string, number> = new Map();
type ListedType = (typeof LISTED_TYPES)[number];
const MAX_SAMPLES = 3;

/** Few enough that a step takes milliseconds. */
const ROWS_A_STEP = 2_000;

/**
 * Makes a deck's price list, in which a country without ordinary numbers shows those of its fallback country. Yields between steps, so that
 * a large deck does not hold up requests.
 * @param from.blocks the prefixes not sold; a country with blocked prefixes of its own has no fallback
 * @param from.called how often numbers were called, from which the price of most calls follows
 */
export function* makePriceList(
  rows: DeckRows<DeckRow>,
  { blocks, called }: { readonly blocks: readonly DeckBlock[]; readonly called: readonly CalledPrefix[] },
): Generator<void, PriceList> {
  const calls = callsByCountry(called);
  const blocked = new Set(blocks.map((block) => block.countryCode));
  const ordinary = yield* readOrdinaryPrices(rows);
  const rates: Rate[] = [];
  const summaries: CountrySummary[] = [];
  for (const country of byName(countries.filter((one) => one.selectable))) {
    const own = ordinary.get(country.iso2);
    const borrowed = blocked.has(country.iso2) ? undefined : ordinary.get(country.ratesFrom ?? "");
    const listed = LISTED_TYPES.flatMap((type) => {
      const prices = own?.prefixes.get(type) ?? borrowed?.prefixes.get(type) ?? [];
      const usual = usualPrice(prices, calls.get(`${country.iso2} ${type}`) ?? NO_CALLS);
      return usual === null ? [] : [toRate(country, type, usual)];
    });
    rates.push(...listed);
    const prices = own ?? borrowed;
    if (prices !== undefined) summaries.push(summarize(country, prices, listed));
  }
  const rowsOf = (countryCode: string): readonly DeckRow[] => {
    const lender = blocked.has(countryCode) ? "" : (countryByCode(countryCode)?.ratesFrom ?? "");
    return [...rows.ofCountry(countryCode), ...(ordinary.has(countryCode) ? [] : rows.ofCountry(lender))].map(saleOf);
  };
  const usual = new Map(rates.map((one) => [one.id, one.our_rate_per_minute]));
  return { rates, summaries, rowsOf, usualRate: (countryCode, type) => usual.get(`${countryCode}-${type}`) ?? null };
}

/** Counted calls by prefix, by country and type. Where mobile and landline numbers cannot be told apart, a call counts as both. */
function callsByCountry(called: readonly CalledPrefix[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const { country_code: country, number_type: of, prefix, calls } of called)
    for (const type of LISTED_TYPES) {
      if (of !== type && of !== "fixed_or_mobile") continue;
      const known = found.get(`${country} ${type}`) ?? new Map<string, number>();
      found.set(`${country} ${type}`, known.set(prefix, calls));
    }
  return found;
}

/** By country. */
function* readOrdinaryPrices(rows: DeckRows<DeckRow>): Generator<void, ReadonlyMap<string, OrdinaryPrices>> {
  const found = new Map<string, OrdinaryPrices>();
  for (let index = 0; index < rows.length; index += 1) {
    if (index % ROWS_A_STEP === 0) yield;
    const row = rows.at(index);
    if (!LISTED_TYPES.some((type) => isOfType(row, type))) continue;
    const known = found.get(row.countryCode);
    const prices = known ?? new OrdinaryPrices();
    if (known === undefined) found.set(row.countryCode, prices);
    prices.add(row);
  }
  return found;
}

/** The prices of a country's mobile and landline numbers, in micro-dollars a minute. */
class OrdinaryPrices {
  count = 0;
  sum = 0n;
  min = 0n;
  max = 0n;
  readonly prefixes = new Map<ListedType, PrefixPrice[]>();
  /** The shortest prefix of each description, which covers most numbers. */
  readonly samples = new Map<string, DeckRow>();

  add(row: DeckRow): void {
    const price = row.ratePerMinuteMicros;
    if (this.count === 0 || price < this.min) this.min = price;
    if (price > this.max) this.max = price;
    this.count += 1;
    this.sum += price;
    for (const type of LISTED_TYPES) {
      if (!isOfType(row, type)) continue;
      const known = this.prefixes.get(type) ?? [];
      known.push({ prefix: row.prefix, ratePerMinuteMicros: price });
      this.prefixes.set(type, known);
    }
    const sample = this.samples.get(row.description);
    if (sample === undefined || compareLengths(row, sample) < 0) this.samples.set(row.description, row);
  }
}

/** Strips carrier costs, which only operators may see. */
export function saleOf(row: DeckRow): DeckRow {
  const { prefix, description, countryCode, numberType } = row;
  const { ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds } = row;
  return { prefix, description, countryCode, numberType, ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds };
}

/** If the numbering plan does not distinguish mobile from landline numbers, a price counts as both. */
function isOfType(row: DeckRow, type: ListedType): boolean {
  return row.numberType === type || row.numberType === "fixed_or_mobile";
}

function byName(list: readonly Country[]): Country[] {
  return list.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function toRate(country: Country, type: ListedType, micros: bigint): Rate {
  return {
    id: `${country.iso2}-${type}`,
    country_code: country.iso2,
    country_name: country.name,
    dial_code: country.dialCode,
    number_type: type,
    our_rate_per_minute: rateToDecimalString(micros),
  };
}

function summarize(country: Country, prices: OrdinaryPrices, listed: readonly Rate[]): CountrySummary {
  const usual = (type: ListedType) => listed.find((one) => one.number_type === type)?.our_rate_per_minute ?? null;
  const count = BigInt(prices.count);
  const samples = [...prices.samples.values()].toSorted(compareLengths).slice(0, MAX_SAMPLES);
  return {
    country_name: country.name,
    country_code: country.iso2,
    slug: countrySlug(country.name),
    mobile_rate: usual("mobile"),
    landline_rate: usual("landline"),
    avg_rate: rateToDecimalString((prices.sum + count - 1n) / count),
    min_rate: rateToDecimalString(prices.min),
    max_rate: rateToDecimalString(prices.max),
    rate_count: prices.count,
    sample_prefixes: samples.map((row) => ({
      prefix: row.prefix,
      description: row.description,
      rate: rateToDecimalString(row.ratePerMinuteMicros),
    })),
  };
}

function compareLengths(one: DeckRow, other: DeckRow): number {
  return one.prefix.length - other.prefix.length || (one.prefix < other.prefix ? -1 : 1);
}
