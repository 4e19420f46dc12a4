import type { Micros } from "@farline/domain/money.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckRow } from "@farline/domain/rates/deck-rows.ts";

/** The lowest and the highest of some prices per minute. */
export interface PriceRange {
  readonly lowest: Micros;
  readonly highest: Micros;
}

/** What a deck says about a country's numbers of one type. */
export interface CountryPrice {
  readonly countryCode: string;
  readonly numberType: string;
  readonly prefixes: number;
  /** What the carrier takes. */
  readonly cost: PriceRange;
  /** What customers pay. */
  readonly price: PriceRange;
}

/** A deck's prices by country and type. */
export function summarizeByCountry(rows: Iterable<DeckRow & { readonly cost: BillingRate }>): CountryPrice[] {
  const found = new Map<string, CountryPrice>();
  for (const { countryCode, numberType, cost, ratePerMinuteMicros } of rows) {
    const key = `${countryCode} ${numberType}`;
    const known = found.get(key);
    found.set(key, {
      countryCode,
      numberType,
      prefixes: (known?.prefixes ?? 0) + 1,
      cost: widened(known?.cost, cost.ratePerMinuteMicros),
      price: widened(known?.price, ratePerMinuteMicros),
    });
  }
  return [...found.values()];
}

function widened(range: PriceRange | undefined, micros: Micros): PriceRange {
  if (range === undefined) return { lowest: micros, highest: micros };
  return { lowest: micros < range.lowest ? micros : range.lowest, highest: micros > range.highest ? micros : range.highest };
}
