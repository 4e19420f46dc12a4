import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import { buildRateTable, matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { DeckContent, PricedRow } from "../rates/rates.ts";
import { sameTerms } from "./build-deck.ts";

/** A larger change (plus 50 %, or a halving) is a jump, because it may be a typing error. */
const JUMP_PERCENT = 50n;
const PER_MILLE = 1_000n;
const MAX_NAMED = 20;

/** The price change of one prefix. */
export interface PriceChange {
  readonly prefix: string;
  readonly description: string;
  /** The carrier's price per minute; null if the deck lacks the prefix. */
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** How a deck differs from the one in force, by the carrier's prices, from which ours follow. */
export interface DeckComparison {
  readonly added: number;
  readonly raised: number;
  readonly lowered: number;
  /** Prefixes with the same price in different increments. */
  readonly otherIncrements: number;
  readonly unchanged: number;
  readonly gone: number;
  /** Prefixes with a price in both decks, by longest match. */
  readonly compared: number;
  /** Prefixes whose price changes by more than half, the largest change first. */
  readonly jumps: readonly PriceChange[];
  /** The median ratio of new to old price, in thousandths; null if no price can be compared. */
  readonly medianRatio: number | null;
  /** Removed prefixes that were called in the last 30 days, most used first, with what their calls would then cost. */
  readonly removedInUse: readonly (PriceChange & { readonly calls: number })[];
  /** Countries that could no longer be called. */
  readonly countriesLost: readonly string[];
  /** Those of them that were called in the last 30 days. */
  readonly countriesLostInUse: readonly string[];
  /** Prefixes that are not sold, because calls of some length would not earn the margin. */
  readonly withoutMargin: readonly string[];
  /** The last 30 days' seconds at the old and new prices, exact except for increments. */
  readonly traffic: {
    readonly calls: number;
    readonly before: Sum;
    readonly after: Sum;
    readonly unserved: number;
    /** What customers would pay more for raised prices, and less for lowered ones. */
    readonly increaseMicros: bigint;
    readonly decreaseMicros: bigint;
  };
}

interface Sum {
  readonly costMicros: bigint;
  readonly saleMicros: bigint;
}

/** Compares a deck with the one in force (no rows if there is none), and applies both to the calls of the last 30 days. */
export function compareDecks(
  { rows: before, ...rest }: DeckContent,
  { rows: after, blocks }: DeckContent,
  traffic: readonly PrefixTraffic[],
): DeckComparison {
  const old = new Map(before.map((row) => [row.prefix, row]));
  const table = tableOf({ rows: after, blocks });
  const oldTable = tableOf({ rows: before, ...rest });
  const counts = { added: 0, raised: 0, lowered: 0, otherIncrements: 0, unchanged: 0 };
  for (const row of after) {
    const was = old.get(row.prefix);
    old.delete(row.prefix);
    counts[changeOf(was, row)] += 1;
  }
  const countries = new Set(after.map((row) => row.countryCode));
  const countriesLost = [...new Set(before.map((row) => row.countryCode))].filter((code) => !countries.has(code)).toSorted();
  const called = new Set(traffic.map(({ prefix }) => matchPrefix(oldTable, prefix)?.countryCode));
  return {
    ...counts,
    gone: old.size,
    ...compareByMatch({ before, oldTable, after, table }),
    removedInUse: removedInUse(old, { oldTable, table }, traffic),
    countriesLost,
    countriesLostInUse: countriesLost.filter((code) => called.has(code)),
    withoutMargin: withoutMargin(after),
    traffic: rateTraffic(oldTable, table, traffic),
  };
}

export function tableOf({ rows, blocks }: DeckContent): RateTable<PricedRow> {
  return buildRateTable(
    rows,
    blocks.map(({ prefix }) => prefix),
  );
}

function changeOf(was: PricedRow | undefined, row: PricedRow): "added" | "raised" | "lowered" | "otherIncrements" | "unchanged" {
  if (was === undefined) return "added";
  if (row.cost.ratePerMinuteMicros > was.cost.ratePerMinuteMicros) return "raised";
  if (row.cost.ratePerMinuteMicros < was.cost.ratePerMinuteMicros) return "lowered";
  return sameTerms(was.cost, row.cost) ? "unchanged" : "otherIncrements";
}

/**
 * Looks up every prefix of either deck in both, so that a list with differently divided prefixes hides no jump. A price of zero, which a
 * trunk may have, has no ratio; a rise from it counts as a jump.
 */
function compareByMatch(decks: {
  before: readonly PricedRow[];
  oldTable: RateTable<PricedRow>;
  after: readonly PricedRow[];
  table: RateTable<PricedRow>;
}): Pick<DeckComparison, "compared" | "jumps" | "medianRatio"> {
  const prefixes = new Set([...decks.before, ...decks.after].map((row) => row.prefix));
  const jumps: PriceChange[] = [];
  const ratios: number[] = [];
  let compared = 0;
  for (const prefix of prefixes) {
    const was = matchPrefix(decks.oldTable, prefix);
    const is = matchPrefix(decks.table, prefix);
    if (was === null || is === null) continue;
    compared += 1;
    const [before, after] = [was.cost.ratePerMinuteMicros, is.cost.ratePerMinuteMicros];
    if (before > 0n) ratios.push(Number((after * PER_MILLE) / before));
    if (jumped(before, after)) jumps.push({ ...change(is, was, is), prefix });
  }
  ratios.sort((a, b) => a - b);
  return {
    compared,
    jumps: jumps.toSorted((a, b) => Number(size(b) - size(a))),
    medianRatio: ratios[Math.floor(ratios.length / 2)] ?? null,
  };
}

/** Checks each cost once, because rows of one cost are sold at one price. */
function withoutMargin(rows: readonly PricedRow[]): string[] {
  const kept = new Map<BillingRate, boolean>();
  return rows.flatMap((row) => {
    const keeps = kept.get(row.cost) ?? keepsMargin(row, row.cost);
    kept.set(row.cost, keeps);
    return keeps ? [] : [row.prefix];
  });
}

function jumped(before: bigint, after: bigint): boolean {
  return after * 100n > before * (100n + JUMP_PERCENT) || after * 100n < before * JUMP_PERCENT;
}

function removedInUse(
  gone: ReadonlyMap<string, PricedRow>,
  { oldTable, table }: { oldTable: RateTable<PricedRow>; table: RateTable<PricedRow> },
  traffic: readonly PrefixTraffic[],
): DeckComparison["removedInUse"] {
  const found = new Map<string, PriceChange & { calls: number }>();
  for (const { prefix, calls } of traffic) {
    const was = gone.get(matchPrefix(oldTable, prefix)?.prefix ?? "");
    if (was === undefined) continue;
    const known = found.get(was.prefix) ?? { ...change(was, was, matchPrefix(table, prefix)), calls: 0 };
    found.set(was.prefix, { ...known, calls: known.calls + calls });
  }
  return [...found.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MAX_NAMED);
}

function rateTraffic(
  before: RateTable<PricedRow>,
  after: RateTable<PricedRow>,
  traffic: readonly PrefixTraffic[],
): DeckComparison["traffic"] {
  const none = { costMicros: 0n, saleMicros: 0n };
  const total = { calls: 0, unserved: 0, before: { ...none }, after: { ...none }, increaseMicros: 0n, decreaseMicros: 0n };
  for (const { prefix, calls, seconds } of traffic) {
    const was = matchPrefix(before, prefix);
    const is = matchPrefix(after, prefix);
    total.calls += calls;
    if (is === null) total.unserved += calls;
    if (was !== null && is !== null) {
      const difference = add(total.after, is, seconds) - add(total.before, was, seconds);
      if (difference > 0n) total.increaseMicros += difference;
      else total.decreaseMicros -= difference;
    }
  }
  return total;
}

/** @returns the price of the seconds */
function add(sum: { costMicros: bigint; saleMicros: bigint }, row: PricedRow, seconds: number): bigint {
  const saleMicros = (row.ratePerMinuteMicros * BigInt(seconds)) / 60n;
  sum.costMicros += (row.cost.ratePerMinuteMicros * BigInt(seconds)) / 60n;
  sum.saleMicros += saleMicros;
  return saleMicros;
}

function change(row: PricedRow, was: PricedRow, is: PricedRow | null): PriceChange {
  const { prefix, description } = row;
  return { prefix, description, before: was.cost.ratePerMinuteMicros, after: is?.cost.ratePerMinuteMicros ?? null };
}

function size({ before, after }: PriceChange): bigint {
  const difference = (after ?? 0n) - (before ?? 0n);
  return difference < 0n ? -difference : difference;
}
