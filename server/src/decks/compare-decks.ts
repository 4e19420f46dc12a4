import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import { buildRateTable, matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { DeckContent, PricedRow } from "../rates/rates.ts";
import { sameTerms } from "./build-deck.ts";

/** A change beyond this is a jump, since it may be a typing error: half as much again, or half. */
const JUMP_PERCENT = 50n;
const PER_MILLE = 1_000n;
const MAX_NAMED = 20;

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
  /** Prefixes with a price in both decks, each looked up in the other by its longest match. */
  readonly compared: number;
  /** Those whose price rises or falls by more than half, the largest first. */
  readonly jumps: readonly PriceChange[];
  /** The median of new price to old, in thousandths; null if nothing can be compared. */
  readonly medianRatio: number | null;
  /** Prefixes that go although they were called in the last 30 days, the most used first, and what calls would cost then. */
  readonly goneInUse: readonly (PriceChange & { readonly calls: number })[];
  /** Countries that could not be called any more. */
  readonly countriesLost: readonly string[];
  /** Those of them that were called in the last 30 days. */
  readonly countriesLostInUse: readonly string[];
  /** Prefixes that are not sold, because some length of call would cost us more than it brings. */
  readonly withoutMargin: readonly string[];
  /** The last 30 days' seconds at the old and the new price, to the micro-dollar but for increments. */
  readonly traffic: {
    readonly calls: number;
    readonly before: Sum;
    readonly after: Sum;
    readonly unserved: number;
    /** What customers would pay more where prices rise, and less where they fall. */
    readonly moreMicros: bigint;
    readonly lessMicros: bigint;
  };
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
  const oldTable = tableOf({ rows: before, ...rest });
  const counts = { added: 0, dearer: 0, cheaper: 0, otherIncrements: 0, unchanged: 0 };
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
    goneInUse: goneInUse(old, { oldTable, table }, traffic),
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

function changeOf(was: PricedRow | undefined, row: PricedRow): "added" | "dearer" | "cheaper" | "otherIncrements" | "unchanged" {
  if (was === undefined) return "added";
  if (row.cost.ratePerMinuteMicros > was.cost.ratePerMinuteMicros) return "dearer";
  if (row.cost.ratePerMinuteMicros < was.cost.ratePerMinuteMicros) return "cheaper";
  return sameTerms(was.cost, row.cost) ? "unchanged" : "otherIncrements";
}

/**
 * Looks up every prefix of either deck in both, so that a list which divides its prefixes in another way hides no jump.
 * A price that begins at zero, as a trunk's may, has no ratio and counts as a jump when it rises.
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
  { oldTable, table }: { oldTable: RateTable<PricedRow>; table: RateTable<PricedRow> },
  traffic: readonly PrefixTraffic[],
): DeckComparison["goneInUse"] {
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
  const total = { calls: 0, unserved: 0, before: { ...none }, after: { ...none }, moreMicros: 0n, lessMicros: 0n };
  for (const { prefix, calls, seconds } of traffic) {
    const was = matchPrefix(before, prefix);
    const is = matchPrefix(after, prefix);
    total.calls += calls;
    if (is === null) total.unserved += calls;
    if (was !== null && is !== null) {
      const difference = add(total.after, is, seconds) - add(total.before, was, seconds);
      if (difference > 0n) total.moreMicros += difference;
      else total.lessMicros -= difference;
    }
  }
  return total;
}

/** @returns what the seconds sell for */
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
