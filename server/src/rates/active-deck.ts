import { setImmediate } from "node:timers/promises";
import type { DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { matchPrefix, RateTableBuilder, type RateTable } from "@farline/domain/rates/rating.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import {
  calledPrefixesMadeAt,
  readCalledPrefixes,
  eachDeckRow,
  findDecks,
  readDeckBlocks,
  type PricedRow,
  type StoredDeck,
} from "./rates.store.ts";
import { makePriceList, saleOf, type PriceList } from "./price-list.ts";

/** A price with its deck, by which a call is charged. */
export interface RateQuote extends DeckRow {
  /** Whether calls of every length earn the margin over the carrier's cost. */
  readonly hasMargin: boolean;
  readonly deckId: string;
  readonly deckEffectiveAt: Date;
}

/** Who asks for a price: a customer, or a visitor of the public pages, who sees the list price. */
export type Buyer = { readonly id: string; readonly payerId: string | null } | "visitor";

/** A deck in memory. */
export interface LoadedDeck extends StoredDeck {
  readonly table: RateTable<PricedRow>;
  readonly priceList: PriceList;
  /** Changes with the price list. */
  readonly edition: string;
}

/**
 * Keeps the current deck and the next one in memory, so that a new deck takes effect to the second. `refresh` loads decks stored
 * since.
 */
export class ActiveDeck {
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
      this.#log.info({ deck: this.#current.id }, "deck is now active");
    }
    return this.#current;
  }

  /**
   * The price of a number, or of its first digits, for this buyer. Null if the active deck has none: a price of zero counts as none, so
   * that a mistake in a deck makes no prefix free.
   */
  quote(e164: string, buyer: Buyer): RateQuote | null {
    const deck = this.current();
    const row = deck === null ? null : matchPrefix(deck.table, e164);
    if (deck === null || row === null) return null;
    const sale = saleTo(buyer, row);
    if (sale.ratePerMinuteMicros <= 0n) return null;
    return { ...sale, deckId: deck.id, deckEffectiveAt: deck.effectiveAt, hasMargin: keepsMargin(sale, row.cost) };
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
    const madeAt = await calledPrefixesMadeAt(this.#db);
    const editionOf = (deck: StoredDeck) => `${deck.id} ${madeAt?.getTime() ?? ""}`;
    const loaded = [this.#current, this.#next].filter((deck) => deck !== null);
    const load = async (deck: StoredDeck | null): Promise<LoadedDeck | null> => {
      const known = loaded.find((one) => deck !== null && one.edition === editionOf(deck));
      if (deck === null) return null;
      return known === undefined ? await this.#read(deck, editionOf(deck)) : { ...known, ...deck };
    };
    const [newCurrent, newNext] = [await load(current), await load(next)];
    this.#current = newCurrent;
    this.#next = newNext;
  }

  async #read(deck: StoredDeck, edition: string): Promise<LoadedDeck> {
    const blocks = await readDeckBlocks(this.#db, deck.id);
    const builder = new RateTableBuilder<PricedRow>();
    await eachDeckRow(this.#db, deck.id, (row) => builder.add(row));
    for (const { prefix } of blocks) builder.block(prefix);
    const table = builder.build();
    const priceList = await completed(makePriceList(table.rows, { blocks, called: await readCalledPrefixes(this.#db) }));
    const withoutMargin = table.rows.prefixesWhere((terms) => !keepsMargin(terms, terms.cost)).length;
    this.#log.info({ deck: deck.id, rates: table.rows.length, effectiveAt: deck.effectiveAt }, "deck loaded");
    if (withoutMargin > 0)
      this.#log.error({ deck: deck.id, prefixes: withoutMargin }, "the deck has prices without the margin; they are not sold");
    return { ...deck, edition, table, priceList };
  }
}

/** What this buyer pays: the list price, for everybody. */
function saleTo(_buyer: Buyer, row: PricedRow): DeckRow {
  return saleOf(row);
}

/** Runs a generator to its end and lets requests in after each step. */
async function completed<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
