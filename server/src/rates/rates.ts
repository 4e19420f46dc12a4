import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { memoryNetworkLimit } from "../platform/http/network-limit.ts";
import { ActiveDeck, type LoadedDeck } from "./active-deck.ts";
import { findTrunkCosts } from "./rates.store.ts";
import { seedSampleDeck } from "./seed-sample-deck.ts";
import { perDoor } from "../accounts/accounts.ts";
import type { Context, Rates } from "../context.ts";
import type { CountryPrice } from "./country-prices.ts";
import { type DeckPeriod, readCountryPrices, readPeriods } from "./price-history.store.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App, Guard } from "../platform/http/http.ts";
import { listSender } from "../platform/http/list-sender.ts";
import { lookUpNumber } from "./look-up-number.ts";

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

/** Answered from memory, also without the database and while intake is closed. */
export const PRICE_ROUTES: ReadonlySet<string> = new Set([
  "/api/rates",
  "/api/rates/countries",
  "/api/rates/get-rate",
  "/api/rates/lookup-number",
]);

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
  const lookupLimit = memoryNetworkLimit(ctx, "lookup");
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
  const lender = countryByCode(countryCode)?.ratesFrom ?? null;
  const countries = [countryCode, ...(lender === null ? [] : [lender])];
  const { periods, found } = await ctx.read(async (db) => {
    const periods = await readPeriods(db, { sample: ctx.config.mode === "sandbox" });
    return { periods, found: await readCountryPrices(db, [...new Set(periods.map(({ deckId }) => deckId))], countries) };
  });
  const prices = Map.groupBy(found, (one) => one.deckId);
  return periods.map((period) => {
    const known = prices.get(period.deckId) ?? [];
    const own = known.filter((one) => one.countryCode === countryCode);
    return { ...period, prices: own.length > 0 ? own : known };
  });
}

/** The public routes under `/api/rates`. */
function rateRoutes(app: App, ctx: { decks: ActiveDeck; lookups: Guard }): void {
  const { decks, lookups } = ctx;
  serve(
    app,
    "GET /api/rates",
    serveList(decks, (deck) => ({ rates: deck.priceList.rates })),
  );
  serve(
    app,
    "GET /api/rates/countries",
    serveList(decks, (deck) => ({ countries: deck.priceList.summaries })),
  );

  serve(app, "POST /api/rates/get-rate", async (request) => {
    const { country_code, number_type } = request.body;
    const found = activeDeck(decks).priceList.rates.find(
      (one) => one.country_code === country_code && one.number_type === number_type,
    );
    if (found === undefined) throw new AppError("no_rate", { reason: "no_rate_for_country" });
    return { rate: found };
  });

  serve(app, "POST /api/rates/lookup-number", {
    onRequest: lookups,
    handler: async (request) => {
      const { phone_number, country_code } = request.body;
      activeDeck(decks);
      return { rate: lookUpNumber((e164) => decks.quote(e164, "visitor"), phone_number, country_code ?? null) };
    },
  });
}

function activeDeck(decks: ActiveDeck): LoadedDeck {
  const deck = decks.current();
  if (deck === null) throw new AppError("unavailable", { reason: "rates_not_ready" });
  return deck;
}

/** Serves a list that changes only with the deck. */
function serveList(decks: ActiveDeck, contentOf: (deck: LoadedDeck) => object) {
  const send = listSender();
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const deck = activeDeck(decks);
    return send(request, reply, { version: deck.edition, content: () => contentOf(deck) });
  };
}
