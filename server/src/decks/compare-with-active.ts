import { DAY_MS } from "@farline/domain/durations.ts";
import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import { readTraffic, type PrefixTraffic } from "../calls/calls.ts";
import { isAnotherAdminTrusted, type Concern } from "../operator/operator.ts";
import type { Tx } from "../platform/database/database.ts";
import { findDecks, findTrunkDecks, readDeckContent, type DeckContent, type PricedRow, type StoredDeck } from "../rates/rates.ts";
import { findConfirmedDeck, hasPaidCustomer } from "./decks.store.ts";
import { compareDecks, tableOf, type DeckComparison } from "./compare-decks.ts";
import { exampleCalls, type ExampleCall } from "./example-calls.ts";
import { findConcerns, priceConcerns } from "./price-guard.ts";
import { chargeTogether } from "./rate-traffic.ts";
import type { Context, OperatorContext } from "../context.ts";

const TRAFFIC_MS = 30 * DAY_MS;
const EMPTY: DeckContent = { rows: new DeckRows(), blocks: [] };

/** The comparison of a deck with those that it would follow. */
export interface ComparedDeck {
  /** The active deck when it begins; null if there is none. */
  readonly current: { readonly id: string; readonly name: string } | null;
  /** That deck's number of prices. */
  readonly prices: number;
  readonly comparison: DeckComparison;
  readonly examples: readonly ExampleCall[];
  /** Why a second operator must confirm it. */
  readonly concerns: readonly Concern[];
}

/** A deck to compare. Its trunk is null if calls are sold by it. */
interface NewDeck {
  readonly content: DeckContent;
  readonly trunk: string | null;
  readonly at: Date;
}

/**
 * Compares a deck with the active one when it begins. For the concerns it is also compared with the one that customers pay by now, and
 * with the latest that a second operator confirmed, so that small steps add up. The first deck is compared with the costs, once a customer
 * has paid or a second operator could confirm it.
 */
export async function compareWithActive(tx: Tx, ctx: OperatorContext, deck: NewDeck): Promise<ComparedDeck> {
  const { content, trunk, at } = deck;
  const now = ctx.clock.now();
  const traffic = await readTraffic(tx, new Date(now.getTime() - TRAFFIC_MS), trunk);
  const sold = trunk === null ? null : tableOf(await contentOf(tx, await activeDeck(tx, ctx, { trunk: null, at })));
  const fresh = soldBy(content, sold);
  const current = await activeDeck(tx, ctx, { trunk, at });
  const before = await contentOf(tx, current);
  const isNeeded = trunk === null && (traffic.length > 0 || current === null);
  const trunks = isNeeded ? await readTrunkTables(tx, at) : [];
  const knownCost = trunk === null ? costOver(trunks) : () => null;
  const compareTo = (other: DeckContent) => compareDecks(soldBy(other, sold), fresh, traffic, knownCost);

  const comparison = compareTo(before);
  const concerns = findConcerns(comparison, current?.name ?? "");
  const sample = ctx.config.mode === "sandbox";
  const earlier = await Promise.all([activeDeck(tx, ctx, { trunk, at: now }), findConfirmedDeck(tx, { trunk, at, sample })]);
  const others = new Map(earlier.flatMap((one) => (one === null ? [] : [[one.id, one]])));
  others.delete(current?.id ?? "");
  for (const other of others.values()) concerns.push(...findConcerns(compareTo(await contentOf(tx, other)), other.name));
  const isFirst = current === null && others.size === 0;
  if (isFirst && (await needsSecondLook(tx, ctx))) concerns.push(...firstDeckConcerns(fresh, { trunks, sold, compareTo }));
  const examples = exampleCalls(content.rows, traffic, sold);
  return { current, prices: before.rows.length, comparison, examples, concerns: distinct(concerns) };
}

/** A new installation has one administrator and nobody's money to lose. */
async function needsSecondLook(tx: Tx, { actor, clock }: OperatorContext): Promise<boolean> {
  return (await hasPaidCustomer(tx)) || (await isAnotherAdminTrusted(tx, { except: [actor.id], now: clock.now() }));
}

/** Compares the first deck with the costs that are known: a trunk's with those of the selling deck, the selling deck with the trunks'. */
function firstDeckConcerns(
  { rows }: DeckContent,
  given: {
    readonly trunks: readonly RateTable<PricedRow>[];
    readonly sold: RateTable<PricedRow> | null;
    readonly compareTo: (before: DeckContent) => DeckComparison;
  },
): Concern[] {
  const tables = given.sold === null ? given.trunks : [given.sold];
  const costs = new DeckRows<PricedRow>();
  for (const row of rows) {
    const found = tables.flatMap((table) => matchPrefix(table, row.prefix) ?? []);
    const cheapest = found.reduce<PricedRow | undefined>(
      (best, one) => (best === undefined || one.cost.ratePerMinuteMicros < best.cost.ratePerMinuteMicros ? one : best),
      undefined,
    );
    if (cheapest !== undefined) costs.add({ ...row, cost: cheapest.cost });
  }
  if (costs.length * 2 > rows.length) return priceConcerns(given.compareTo({ rows: costs, blocks: [] }), "the known costs");
  return [
    { kind: "first", text: "No deck is active and no other price list has most of these prefixes, so it cannot be compared." },
  ];
}

/** What the cheapest trunk would take for calls; without trunks' decks, what carriers took for them. */
function costOver(trunks: readonly RateTable<PricedRow>[]): (calls: PrefixTraffic) => bigint | null {
  return (calls) => {
    const costs = trunks.flatMap((table) => {
      const row = matchPrefix(table, calls.prefix);
      return row === null ? [] : [chargeTogether(calls, row.cost)];
    });
    return costs.length === 0 ? calls.paidMicros : costs.reduce((min, cost) => (cost < min ? cost : min));
  };
}

async function readTrunkTables(tx: Tx, at: Date): Promise<RateTable<PricedRow>[]> {
  const decks = await findTrunkDecks(tx, at);
  return Promise.all(decks.map(async ({ id }) => tableOf(await readDeckContent(tx, id))));
}

async function activeDeck(tx: Tx, { config }: Context, of: { trunk: string | null; at: Date }): Promise<StoredDeck | null> {
  return (await findDecks(tx, of.at, { trunk: of.trunk, sample: config.mode === "sandbox" })).current;
}

async function contentOf(tx: Tx, deck: StoredDeck | null): Promise<DeckContent> {
  return deck === null ? EMPTY : readDeckContent(tx, deck.id);
}

function distinct(concerns: readonly Concern[]): Concern[] {
  return [...new Map(concerns.map((one) => [one.text, one])).values()];
}

/** Trunk decks have no selling prices, so their rows get those of the selling deck. */
function soldBy({ rows, blocks }: DeckContent, sales: RateTable<PricedRow> | null): DeckContent {
  if (sales === null) return { rows, blocks };
  const sold = new DeckRows<PricedRow>();
  for (const row of rows) sold.add(soldAt(row, sales));
  return { rows: sold, blocks };
}

/** Numbers that are not sold keep the price that would follow from their cost. */
function soldAt(row: PricedRow, sales: RateTable<PricedRow>): PricedRow {
  const sale = matchPrefix(sales, row.prefix);
  if (sale === null) return row;
  const { ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds } = sale;
  return { ...row, ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds };
}
