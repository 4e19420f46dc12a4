import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import { buildRateTable, matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { DeckContent, PricedRow } from "../rates/rates.ts";
import { sameTerms } from "./build-deck.ts";

/** A change beyond this is named, since it may be a typing error: half as much again, or half. */
const JUMP_PERCENT = 50n;
const MOST_NAMED = 20;

/** What would change for one prefix. */
export interface PriceChange {
  readonly prefix: string;
  readonly description: string;
  /** What the carrier takes a minute; null where the deck has no such prefix. */
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** How a deck differs from the one in force. Dearer and cheaper are the carrier's prices: ours follow them. */
export interface DeckComparison {
  readonly added: number;
  readonly dearer: number;
  readonly cheaper: number;
  /** The same price in other increments. */
  readonly otherIncrements: number;
  readonly unchanged: number;
  readonly gone: number;
  /** Prices that rise or fall by more than half, the largest first. */
  readonly jumps: readonly PriceChange[];
  /** Prefixes that go although they were called in the last 30 days, the most used first, and what calls would cost then. */
  readonly goneInUse: readonly (PriceChange & { readonly calls: number })[];
  /** Countries that could not be called any more. */
  readonly countriesLost: readonly string[];
  /** Prefixes that are not sold, because some length of call would cost us more than it brings. */
  readonly withoutMargin: readonly string[];
  /** The last 30 days' seconds at the old and the new price, to the micro-dollar but for increments. */
  readonly traffic: { readonly calls: number; readonly before: Sum; readonly after: Sum; readonly unserved: number };
}

interface Sum {
  readonly costMicros: bigint;
  readonly saleMicros: bigint;
}

/** Compares a deck with the one in force (no rows where there is none), and both with the calls of the last 30 days. */
export function compareDecks(
  { rows: before, ...rest }: DeckContent,
  { rows: after, blocks }: DeckContent,
  traffic: readonly PrefixTraffic[],
): DeckComparison {
  const old = new Map(before.map((row) => [row.prefix, row]));
  const table = tableOf({ rows: after, blocks });
  const counts = { added: 0, dearer: 0, cheaper: 0, otherIncrements: 0, unchanged: 0 };
  const jumps: PriceChange[] = [];
  for (const row of after) {
    const was = old.get(row.prefix);
    old.delete(row.prefix);
    counts[changeOf(was, row)] += 1;
    if (was !== undefined && jumped(was.cost.ratePerMinuteMicros, row.cost.ratePerMinuteMicros))
      jumps.push(change(row, was, row));
  }
  const countries = new Set(after.map((row) => row.countryCode));
  return {
    ...counts,
    gone: old.size,
    jumps: jumps.toSorted((a, b) => Number(size(b) - size(a))).slice(0, MOST_NAMED),
    goneInUse: goneInUse(old, table, traffic),
    countriesLost: [...new Set(before.map((row) => row.countryCode))].filter((code) => !countries.has(code)).toSorted(),
    withoutMargin: withoutMargin(after),
    traffic: rateTraffic(tableOf({ rows: before, ...rest }), table, traffic),
  };
}

export function tableOf({ rows, blocks }: DeckContent): RateTable<PricedRow> {
  return buildRateTable(
    rows,
    blocks.map(({ prefix }) => prefix),
  );
}

function changeOf(was: PricedRow | undefined, row: PricedRow): "added" | "dearer" | "cheaper" | "otherIncrements" | "unchanged" {
  if (was === undefined) return "added";
  if (row.cost.ratePerMinuteMicros > was.cost.ratePerMinuteMicros) return "dearer";
  if (row.cost.ratePerMinuteMicros < was.cost.ratePerMinuteMicros) return "cheaper";
  return sameTerms(was.cost, row.cost) ? "unchanged" : "otherIncrements";
}

/** Rows of one cost are sold at one price. */
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

function goneInUse(
  gone: ReadonlyMap<string, PricedRow>,
  table: RateTable<PricedRow>,
  traffic: readonly PrefixTraffic[],
): DeckComparison["goneInUse"] {
  return traffic
    .flatMap(({ prefix, calls }) => {
      const was = gone.get(prefix);
      return was === undefined ? [] : [{ ...change(was, was, matchPrefix(table, prefix)), calls }];
    })
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, MOST_NAMED);
}

function rateTraffic(
  before: RateTable<PricedRow>,
  after: RateTable<PricedRow>,
  traffic: readonly PrefixTraffic[],
): DeckComparison["traffic"] {
  const total = { calls: 0, unserved: 0, before: { costMicros: 0n, saleMicros: 0n }, after: { costMicros: 0n, saleMicros: 0n } };
  for (const { prefix, calls, seconds } of traffic) {
    const was = matchPrefix(before, prefix);
    const is = matchPrefix(after, prefix);
    total.calls += calls;
    if (is === null) total.unserved += calls;
    if (was !== null && is !== null) {
      add(total.before, was, seconds);
      add(total.after, is, seconds);
    }
  }
  return total;
}

function add(sum: { costMicros: bigint; saleMicros: bigint }, row: PricedRow, seconds: number): void {
  sum.costMicros += (row.cost.ratePerMinuteMicros * BigInt(seconds)) / 60n;
  sum.saleMicros += (row.ratePerMinuteMicros * BigInt(seconds)) / 60n;
}

function change(row: PricedRow, was: PricedRow, is: PricedRow | null): PriceChange {
  const { prefix, description } = row;
  return { prefix, description, before: was.cost.ratePerMinuteMicros, after: is?.cost.ratePerMinuteMicros ?? null };
}

function size({ before, after }: PriceChange): bigint {
  const difference = (after ?? 0n) - (before ?? 0n);
  return difference < 0n ? -difference : difference;
}
