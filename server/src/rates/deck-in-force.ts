import { buildRateTable, matchPrefix, type DeckRow, type RateTable } from "@farline/domain/rates/rating.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { makePriceList, type PriceList } from "./price-list.ts";
import { findDecks, readDeckContent, type PricedRow, type StoredDeck } from "./rates.store.ts";

/** A price with its deck, as a call is charged. */
export interface RateQuote extends DeckRow {
  /** Whether a call of every length leaves the margin over what the carrier takes. */
  readonly hasMargin: boolean;
  readonly deckId: string;
  readonly deckEffectiveAt: Date;
}

/** A deck in memory. */
export interface LoadedDeck extends StoredDeck {
  readonly table: RateTable;
  readonly priceList: PriceList;
  /** Prefixes that are not sold because they miss the margin. */
  readonly thin: ReadonlySet<string>;
}

/**
 * Keeps the current deck and the next one in memory, so that a new deck takes effect to the second.
 * A deck stored later is seen at the next `refresh`.
 */
export class DeckInForce {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #sample: boolean;
  #current: LoadedDeck | null = null;
  #next: LoadedDeck | null = null;
  #refreshing: Promise<void> | null = null;

  constructor(ctx: { db: Database; clock: Clock; log: Logger; sample: boolean }) {
    this.#db = ctx.db;
    this.#clock = ctx.clock;
    this.#log = ctx.log;
    this.#sample = ctx.sample;
  }

  current(): LoadedDeck | null {
    if (this.#next !== null && this.#next.effectiveAt <= this.#clock.now()) {
      this.#current = this.#next;
      this.#next = null;
      this.#log.info({ deck: this.#current.id }, "deck took force");
    }
    return this.#current;
  }

  /** The price of a number, or of its first digits; null when the deck in force has none. */
  quote(e164: string): RateQuote | null {
    const deck = this.current();
    const row = deck === null ? null : matchPrefix(deck.table, e164);
    if (deck === null || row === null) return null;
    return { ...row, deckId: deck.id, deckEffectiveAt: deck.effectiveAt, hasMargin: !deck.thin.has(row.prefix) };
  }

  /** Reads which decks apply and loads missing ones. Concurrent calls share one read. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#load().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #load(): Promise<void> {
    const { current, next } = await findDecks(this.#db, this.#clock.now(), { trunk: null, sample: this.#sample });
    const loaded = [this.#current, this.#next].filter((deck) => deck !== null);
    const load = async (deck: StoredDeck | null): Promise<LoadedDeck | null> => {
      const known = loaded.find((one) => one.id === deck?.id);
      if (deck === null) return null;
      return known === undefined ? await this.#read(deck) : { ...known, ...deck };
    };
    const [newCurrent, newNext] = [await load(current), await load(next)];
    this.#current = newCurrent;
    this.#next = newNext;
  }

  async #read(deck: StoredDeck): Promise<LoadedDeck> {
    const content = await readDeckContent(this.#db, deck.id);
    const thin = new Set(content.rows.filter((row) => !keepsMargin(row, row.cost)).map((row) => row.prefix));
    const rows = content.rows.map(saleOf);
    const blocks = content.blocks.map(({ prefix }) => prefix);
    this.#log.info({ deck: deck.id, rates: rows.length, effectiveAt: deck.effectiveAt }, "deck loaded");
    if (thin.size > 0) this.#log.error({ deck: deck.id, prefixes: thin.size }, "the deck has prices without a margin");
    return { ...deck, thin, table: buildRateTable(rows, blocks), priceList: makePriceList(rows, content.blocks) };
  }
}

/** Quotes are copies of these rows, and what a carrier takes is nobody's business. */
function saleOf(row: PricedRow): DeckRow {
  const { prefix, description, countryCode, numberType } = row;
  const { ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds } = row;
  return { prefix, description, countryCode, numberType, ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds };
}
