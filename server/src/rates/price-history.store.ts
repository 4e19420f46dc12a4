import type { Reader } from "../platform/database/read-database.ts";
import type { CountryPrice } from "./country-prices.ts";
import { SAMPLE_SOURCE } from "./rates.store.ts";

const MAX_PERIODS = 200;

/** When a deck was, is or will be active. */
export interface DeckPeriod {
  readonly deckId: string;
  readonly name: string;
  readonly from: Date;
  /** Null for the last one. */
  readonly until: Date | null;
}

/** The newest 200 periods of the decks that calls are sold by, latest first. */
export async function readPeriods(db: Reader, { sample }: { readonly sample: boolean }): Promise<DeckPeriod[]> {
  const activations = await db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    // Of several activations for the same time, the newest counts.
    .distinctOn("activation.effective_at")
    .select(["deck.id as deckId", "deck.name", "activation.effective_at as from"])
    .where("deck.trunk", "is", null)
    .where("activation.cancelled_at", "is", null)
    .$if(!sample, (query) => query.where("deck.source", "<>", SAMPLE_SOURCE))
    .orderBy("activation.effective_at", "desc")
    .orderBy("activation.created_at", "desc")
    .orderBy("activation.id", "desc")
    .limit(MAX_PERIODS)
    .execute();
  return activations.map((one, at) => ({ ...one, until: activations[at - 1]?.from ?? null }));
}

/** What decks say about countries, ordinary numbers only. */
export async function readCountryPrices(
  db: Reader,
  deckIds: readonly string[],
  countries: readonly string[],
): Promise<(CountryPrice & { readonly deckId: string })[]> {
  if (deckIds.length === 0) return [];
  const found = await db
    .selectFrom("deck_country_price")
    .selectAll()
    .where("deck_id", "in", deckIds)
    .where("country_code", "in", countries)
    .where("number_type", "in", ["mobile", "landline", "fixed_or_mobile"])
    .orderBy("number_type")
    .execute();
  return found.map((one) => ({
    deckId: one.deck_id,
    countryCode: one.country_code,
    numberType: one.number_type,
    prefixes: one.prefixes,
    cost: { lowest: one.lowest_cost_micros, highest: one.highest_cost_micros },
    price: { lowest: one.lowest_price_micros, highest: one.highest_price_micros },
  }));
}
