import { countryByCode } from "@farline/domain/countries/countries.ts";
import { memoryNetworkLimit } from "../platform/http/network-limit.ts";
import { ActiveDeck } from "./active-deck.ts";
import { rateRoutes } from "./rate-routes.ts";
import { findTrunkCosts } from "./rates.store.ts";
import { seedSampleDeck } from "./seed-sample-deck.ts";
import { perDoor } from "../accounts/accounts.ts";
import type { Context, Rates } from "../context.ts";
import type { CountryPrice } from "./country-prices.ts";
import { readCountryPrices, readPeriods, type DeckPeriod } from "./price-history.store.ts";

export type { Buyer, RateQuote } from "./active-deck.ts";
export { presentPrice } from "./look-up-number.ts";
export {
  replaceCalledPrefixes,
  type CalledPrefix,
  findDecks,
  findTrunkCosts,
  findTrunkDecks,
  insertActivation,
  insertDeck,
  matchDeck,
  readDeckContent,
  SAMPLE_SOURCE,
  type DeckBlock,
  type DeckContent,
  type DeckMatch,
  type PricedRow,
  type StoredDeck,
  type TrunkCost,
} from "./rates.store.ts";
export { toNumberError } from "./number-error.ts";
export type { PriceRange } from "./country-prices.ts";
export { pricedRow, readSampleDeck } from "./seed-sample-deck.ts";

const REFRESH_EVERY_MS = 60_000;
const LOOKUPS_PER_MINUTE = 60;
const NO_DECK =
  "no deck is active, so no call can be sold: import the carrier's list with `npm run cli -- decks import` (docs/operate/decks.md)";

/**
 * Loads the active deck into memory. A sandbox without a deck gets the sample deck first; a live service never sells by it.
 */
export async function createRates(ctx: Context): Promise<Rates> {
  const { clock, log, config } = ctx;
  const { db } = ctx.handle;
  const sample = config.mode === "sandbox";
  const seeded = sample ? await seedSampleDeck(ctx) : null;
  if (seeded !== null) log.info({ rates: seeded }, "sample deck loaded");
  const decks = new ActiveDeck({ db, clock, log, sample });
  await decks.refresh();
  if (decks.current() === null) log.warn(NO_DECK);
  const timer = setInterval(() => {
    decks.refresh().catch((error: unknown) => log.warn({ err: error }, "could not check for a newer deck"));
  }, REFRESH_EVERY_MS);
  const lookupLimit = memoryNetworkLimit({
    name: "lookup",
    points: LOOKUPS_PER_MINUTE,
    perSeconds: 60,
    scale: config.limitsScale,
  });
  return {
    quote: (e164, buyer) => decks.quote(e164, buyer),
    trunkCosts: (e164) => findTrunkCosts(db, e164, clock.now()),
    published: () => decks.current(),
    ready: () => decks.current() !== null,
    refresh: () => decks.refresh(),
    routes: (app) => rateRoutes(app, { decks, lookups: perDoor(ctx, lookupLimit) }),
    close: () => clearInterval(timer),
  };
}

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
