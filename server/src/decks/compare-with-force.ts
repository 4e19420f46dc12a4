import { DAY_MS } from "@farline/domain/durations.ts";
import { matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import { readTraffic } from "../calls/calls.ts";
import type { Tx } from "../platform/database/database.ts";
import { findDecks, readDeckContent, type DeckContent, type PricedRow } from "../rates/rates.ts";
import { compareDecks, tableOf, type DeckComparison } from "./compare-decks.ts";
import type { Context } from "../context.ts";

const TRAFFIC_MS = 30 * DAY_MS;

/** The comparison of a deck with the one that it would follow. */
export interface ComparedDeck {
  /** The name of the deck that it would follow; null if there is none. */
  readonly current: string | null;
  /** That deck's number of prices. */
  readonly prices: number;
  readonly comparison: DeckComparison;
}

/**
 * Compares a deck with the one in force when it begins.
 * @param deck.trunk the trunk whose costs it contains; null if calls are sold by it
 */
export async function compareWithForce(
  tx: Tx,
  ctx: Context,
  deck: { readonly content: DeckContent; readonly trunk: string | null; readonly at: Date },
): Promise<ComparedDeck> {
  const { content, trunk, at } = deck;
  const { name, content: before } = await inForce(tx, ctx, { trunk, at });
  const traffic = await readTraffic(tx, new Date(ctx.clock.now().getTime() - TRAFFIC_MS), trunk);
  const sold = trunk === null ? null : tableOf((await inForce(tx, ctx, { trunk: null, at })).content);
  const comparison = compareDecks(soldBy(before, sold), soldBy(content, sold), traffic);
  return { current: name, prices: before.rows.length, comparison };
}

async function inForce(
  tx: Tx,
  { config }: Context,
  { trunk, at }: { trunk: string | null; at: Date },
): Promise<{ name: string | null; content: DeckContent }> {
  const { current } = await findDecks(tx, at, { trunk, sample: config.mode === "sandbox" });
  return current === null
    ? { name: null, content: { rows: [], blocks: [] } }
    : { name: current.name, content: await readDeckContent(tx, current.id) };
}

/** Trunk decks have no selling prices, so their rows get those of the selling deck. */
function soldBy({ rows, blocks }: DeckContent, sales: RateTable<PricedRow> | null): DeckContent {
  return { rows: sales === null ? rows : rows.map((row) => soldAt(row, sales)), blocks };
}

/** Numbers that are not sold keep the price that would follow from their cost. */
function soldAt(row: PricedRow, sales: RateTable<PricedRow>): PricedRow {
  const sale = matchPrefix(sales, row.prefix);
  if (sale === null) return row;
  const { ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds } = sale;
  return { ...row, ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds };
}
