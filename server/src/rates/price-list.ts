import type { CountrySummary, Rate } from "@farline/contract/rates.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import { countries, countryByCode, type Country } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { DeckRow } from "@farline/domain/rates/rating.ts";
import type { DeckBlock } from "./rates.store.ts";

/** A deck's prices as shown on pages. */
export interface PriceList {
  /** One entry per selectable country and number type, sorted by country name. */
  readonly rates: readonly Rate[];
  readonly summaries: readonly CountrySummary[];
  /** All rows by which numbers of this country are charged, including special numbers; empty if there are none. */
  rowsOf(countryCode: string): readonly DeckRow[];
}

const LISTED_TYPES = ["mobile", "landline"] as const;
type ListedType = (typeof LISTED_TYPES)[number];
const MAX_SAMPLES = 3;

/** Builds a deck's price list from all its rows. @param blocks see `PriceListBuilder` */
export function makePriceList(rows: Iterable<DeckRow>, blocks: readonly DeckBlock[] = []): PriceList {
  const builder = new PriceListBuilder();
  for (const row of rows) builder.add(row);
  const steps = builder.build(blocks);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Builds a deck's price list row by row. A country without ordinary numbers shows those of its fallback country. */
export class PriceListBuilder {
  readonly #all = new Map<string, DeckRow[]>();

  add(row: DeckRow): void {
    const known = this.#all.get(row.countryCode);
    if (known === undefined) this.#all.set(row.countryCode, [row]);
    else known.push(row);
  }

  /**
   * Yields after each country, so that a large deck does not hold up requests.
   * @param blocks the prefixes not sold; a country with blocked prefixes of its own has no fallback
   */
  *build(blocks: readonly DeckBlock[]): Generator<void, PriceList> {
    const blocked = new Set(blocks.map((block) => block.countryCode));
    const all = this.#all;
    const ordinaryOf = (code: string) => (all.get(code) ?? []).filter((row) => LISTED_TYPES.some((type) => isOfType(row, type)));
    const rates: Rate[] = [];
    const summaries: CountrySummary[] = [];
    for (const country of byName(countries.filter((one) => one.selectable))) {
      const own = ordinaryOf(country.iso2);
      const borrowed = blocked.has(country.iso2) ? [] : ordinaryOf(country.ratesFrom ?? "");
      const listed = LISTED_TYPES.flatMap((type) => {
        const lowest = lowestOf(own, type) ?? lowestOf(borrowed, type);
        return lowest === null ? [] : [toRate(country, type, lowest)];
      });
      rates.push(...listed);
      const mobile = listed.find((rate) => rate.number_type === "mobile");
      const summary = summarize(country, own.length > 0 ? own : borrowed, mobile?.our_rate_per_minute ?? null);
      if (summary !== null) summaries.push(summary);
      yield;
    }
    const rowsOf = (countryCode: string): readonly DeckRow[] => {
      const lender = blocked.has(countryCode) ? "" : (countryByCode(countryCode)?.ratesFrom ?? "");
      const isOrdinary = ordinaryOf(countryCode).length > 0;
      return [...(all.get(countryCode) ?? []), ...(isOrdinary ? [] : (all.get(lender) ?? []))];
    };
    return { rates, summaries, rowsOf };
  }
}

/** If the numbering plan does not distinguish mobile from landline numbers, a price counts as both. */
function isOfType(row: DeckRow, type: ListedType): boolean {
  return row.numberType === type || row.numberType === "fixed_or_mobile";
}

function byName(list: readonly Country[]): Country[] {
  return list.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function lowestOf(rows: readonly DeckRow[], type: ListedType): bigint | null {
  const prices = rows.filter((row) => isOfType(row, type)).map((row) => row.ratePerMinuteMicros);
  return prices.length === 0 ? null : prices.reduce((a, b) => (b < a ? b : a));
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

function summarize(country: Country, rows: readonly DeckRow[], mobileRate: string | null): CountrySummary | null {
  if (rows.length === 0) return null;
  const prices = rows.map((row) => row.ratePerMinuteMicros);
  const count = BigInt(prices.length);
  const sum = prices.reduce((a, b) => a + b, 0n);
  return {
    country_name: country.name,
    country_code: country.iso2,
    slug: countrySlug(country.name),
    mobile_rate: mobileRate,
    avg_rate: rateToDecimalString((sum + count - 1n) / count),
    min_rate: rateToDecimalString(prices.reduce((a, b) => (b < a ? b : a))),
    max_rate: rateToDecimalString(prices.reduce((a, b) => (b > a ? b : a))),
    rate_count: rows.length,
    sample_prefixes: samplesOf(rows).map((row) => ({
      prefix: row.prefix,
      description: row.description,
      rate: rateToDecimalString(row.ratePerMinuteMicros),
    })),
  };
}

/** The shortest prefix of each description, which covers most numbers. */
function samplesOf(rows: readonly DeckRow[]): DeckRow[] {
  const shortest = new Map<string, DeckRow>();
  for (const row of rows) {
    const known = shortest.get(row.description);
    if (known === undefined || compareLengths(row, known) < 0) shortest.set(row.description, row);
  }
  return [...shortest.values()].toSorted(compareLengths).slice(0, MAX_SAMPLES);
}

function compareLengths(one: DeckRow, other: DeckRow): number {
  return one.prefix.length - other.prefix.length || (one.prefix < other.prefix ? -1 : 1);
}
