import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { Context } from "../context.ts";
import type { CountryPrice } from "./country-prices.ts";
import { readCountryPrices, readPeriods, type DeckPeriod } from "./price-history.store.ts";

/** A country's prices while one deck was active. */
export interface PricePeriod extends DeckPeriod {
  /** By type, those of the country that lends its prices if the deck has none; empty if calls could not be sold. */
  readonly prices: readonly CountryPrice[];
}

/**
 * A country's prices over time, the latest period first, from the decks that calls were sold by and those that are scheduled. Carriers'
 * costs are for operators: a public page shows only `price`.
 */
export async function readPriceHistory(ctx: Context, countryCode: string): Promise<PricePeriod[]> {
  const { db } = ctx.handle;
  const periods = await readPeriods(db, { sample: ctx.config.mode === "sandbox" });
  const lender = countryByCode(countryCode)?.ratesFrom ?? null;
  const decks = [...new Set(periods.map(({ deckId }) => deckId))];
  const prices = Map.groupBy(
    await readCountryPrices(db, decks, [countryCode, ...(lender === null ? [] : [lender])]),
    (one) => one.deckId,
  );
  return periods.map((period) => {
    const found = prices.get(period.deckId) ?? [];
    const own = found.filter((one) => one.countryCode === countryCode);
    return { ...period, prices: own.length > 0 ? own : found };
  });
}
