import type { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import { buildRateTable, matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { DeckContent, PricedRow } from "../rates/rates.ts";
import { sameTerms } from "./build-deck.ts";
import { rateTraffic, type TrafficReport } from "./rate-traffic.ts";

/** A larger change (plus 50 %, or a halving) is a jump, because it may be a typing error. */
const JUMP_PERCENT = 50n;
const PER_MILLE = 1_000n;
/** A smaller fraction of the former price is a slip, because the decimal point may be in the wrong place. */
const SLIP_FRACTION = 10n;
/** So is less than half, if each minute is this much cheaper: calls to such a destination could be given away. */
const SLIP_MICROS = 50_000n;
const MAX_NAMED = 20;
const NO_PRICE: MinutePrice = { cost: 0n, sale: 0n };

/** A price per minute in micro-dollars: the carrier's, and ours. */
export interface MinutePrice {
  readonly cost: bigint;
  readonly sale: bigint;
}

/** The price change of one prefix. */
export interface PriceChange {
  readonly prefix: string;
  readonly description: string;
  /** Null if the deck lacks the prefix. */
  readonly before: MinutePrice | null;
  readonly after: MinutePrice | null;
}

/** How a deck differs from the active one. */
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
  /** Prefixes whose cost or price changes by more than half, the largest change first. */
  readonly jumps: readonly PriceChange[];
  /** Those that fall to less than a tenth, or to less than half and by more than 5 cents. */
  readonly slips: readonly PriceChange[];
  /** The median ratios of new to old costs, and of our prices, in thousandths; null if none can be compared. */
  readonly medianRatios: { readonly cost: number; readonly sale: number } | null;
  /** Removed prefixes that were called in the last 30 days, most used first, with what their calls would then cost. */
  readonly removedInUse: readonly (PriceChange & { readonly calls: number })[];
  /** Countries that could no longer be called. */
  readonly countriesLost: readonly string[];
  /** Countries called in the last 30 days where most calls would lose their price. */
  readonly countriesLostInUse: readonly string[];
  /** Prefixes that are not sold, because calls of some length would not earn the margin. */
  readonly withoutMargin: readonly string[];
  readonly traffic: TrafficReport;
}

/**
 * Compares a deck with the active one (no rows if there is none), and applies both to the calls of the last 30 days.
 * @param knownCost see `rateTraffic`
 */
export function compareDecks(
  { rows: before, ...rest }: DeckContent,
  { rows: after, blocks }: DeckContent,
  traffic: readonly PrefixTraffic[],
  knownCost: (calls: PrefixTraffic) => bigint | null,
): DeckComparison {
  const table = tableOf({ rows: after, blocks });
  const oldTable = tableOf({ rows: before, ...rest });
  const counts = { added: 0, raised: 0, lowered: 0, otherIncrements: 0, unchanged: 0, gone: 0 };
  for (const [was, is] of pairsByPrefix(before, after)) counts[is === null ? "gone" : changeOf(was, is)] += 1;
  const countries = after.countries();
  const countriesLost = [...before.countries()].filter((code) => !countries.has(code)).toSorted();
  const rated = rateTraffic(oldTable, table, traffic, knownCost);
  return {
    ...counts,
    ...compareByMatch({ before, oldTable, after, table }),
    removedInUse: removedInUse({ oldTable, table }, traffic),
    countriesLost,
    countriesLostInUse: rated.countries.filter(({ lost, calls }) => lost * 2 > calls).map(({ countryCode }) => countryCode),
    withoutMargin: after.prefixesWhere((terms) => !keepsMargin(terms, terms.cost)),
    traffic: rated,
  };
}

export function tableOf({ rows, blocks }: DeckContent): RateTable<PricedRow> {
  return buildRateTable(
    rows,
    blocks.map(({ prefix }) => prefix),
  );
}

function changeOf(was: PricedRow | null, row: PricedRow): "added" | "raised" | "lowered" | "otherIncrements" | "unchanged" {
  if (was === null) return "added";
  if (row.cost.ratePerMinuteMicros > was.cost.ratePerMinuteMicros) return "raised";
  if (row.cost.ratePerMinuteMicros < was.cost.ratePerMinuteMicros) return "lowered";
  return sameTerms(was.cost, row.cost) ? "unchanged" : "otherIncrements";
}

/**
 * Looks up every prefix of either deck in both, so that a list with differently divided prefixes hides no jump. A price of zero, which a
 * trunk may have, has no ratio; a rise from it counts as a jump.
 */
function compareByMatch(decks: {
  before: DeckRows<PricedRow>;
  oldTable: RateTable<PricedRow>;
  after: DeckRows<PricedRow>;
  table: RateTable<PricedRow>;
}): Pick<DeckComparison, "compared" | "jumps" | "slips" | "medianRatios"> {
  const jumps: PriceChange[] = [];
  const ratios = { cost: new Median(), sale: new Median() };
  let compared = 0;
  for (const [own, other] of pairsByPrefix(decks.before, decks.after)) {
    const prefix = (own ?? other)?.prefix ?? "";
    const was = matchPrefix(decks.oldTable, prefix);
    const is = matchPrefix(decks.table, prefix);
    if (was === null || is === null) continue;
    compared += 1;
    const [before, after] = [priceOf(was), priceOf(is)];
    if (before.cost > 0n) ratios.cost.add(Number((after.cost * PER_MILLE) / before.cost));
    if (before.sale > 0n) ratios.sale.add(Number((after.sale * PER_MILLE) / before.sale));
    if (jumped(before.cost, after.cost) || jumped(before.sale, after.sale))
      jumps.push({ prefix, description: is.description, before, after });
  }
  const [cost, sale] = [ratios.cost.value(), ratios.sale.value()];
  return {
    compared,
    jumps: jumps.toSorted((a, b) => Number(size(b) - size(a))),
    slips: jumps.filter(slipped),
    medianRatios: cost === undefined || sale === undefined ? null : { cost, sale },
  };
}

/** The rows of two decks side by side, both sorted by prefix, without an index of a million prefixes. */
function* pairsByPrefix(
  before: DeckRows<PricedRow>,
  after: DeckRows<PricedRow>,
): Generator<readonly [PricedRow | null, PricedRow | null]> {
  let [old, fresh] = [0, 0];
  while (old < before.length || fresh < after.length) {
    const was = old < before.length ? before.at(old) : null;
    const is = fresh < after.length ? after.at(fresh) : null;
    const isOld = was !== null && (is === null || was.prefix <= is.prefix);
    const isNew = is !== null && (was === null || is.prefix <= was.prefix);
    if (isOld) old += 1;
    if (isNew) fresh += 1;
    yield [isOld ? was : null, isNew ? is : null];
  }
}

/** The median of many numbers of which few are different. */
class Median {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#total += 1;
  }

  /** The upper one of two in the middle; undefined without numbers. */
  value(): number | undefined {
    let before = 0;
    for (const [value, count] of [...this.#counts].toSorted(([a], [b]) => a - b)) {
      before += count;
      if (before > Math.floor(this.#total / 2)) return value;
    }
    return undefined;
  }
}

function jumped(before: bigint, after: bigint): boolean {
  return after * 100n > before * (100n + JUMP_PERCENT) || after * 100n < before * JUMP_PERCENT;
}

function slipped({ before, after }: PriceChange): boolean {
  const [was, is] = [before ?? NO_PRICE, after ?? NO_PRICE];
  return fellFar(was.cost, is.cost) || fellFar(was.sale, is.sale);
}

function fellFar(before: bigint, after: bigint): boolean {
  return after * SLIP_FRACTION < before || (after * 2n < before && before - after > SLIP_MICROS);
}

function removedInUse(
  { oldTable, table }: { oldTable: RateTable<PricedRow>; table: RateTable<PricedRow> },
  traffic: readonly PrefixTraffic[],
): DeckComparison["removedInUse"] {
  const found = new Map<string, PriceChange & { calls: number }>();
  for (const { prefix, calls } of traffic) {
    const was = matchPrefix(oldTable, prefix);
    if (was === null || matchPrefix(table, was.prefix)?.prefix === was.prefix) continue;
    const known = found.get(was.prefix) ?? { ...change(was, was, matchPrefix(table, prefix)), calls: 0 };
    found.set(was.prefix, { ...known, calls: known.calls + calls });
  }
  return [...found.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MAX_NAMED);
}

function change(row: PricedRow, was: PricedRow, is: PricedRow | null): PriceChange {
  const { prefix, description } = row;
  return { prefix, description, before: priceOf(was), after: is === null ? null : priceOf(is) };
}

function priceOf(row: PricedRow): MinutePrice {
  return { cost: row.cost.ratePerMinuteMicros, sale: row.ratePerMinuteMicros };
}

function size({ before, after }: PriceChange): bigint {
  const difference = (after ?? NO_PRICE).cost - (before ?? NO_PRICE).cost;
  return difference < 0n ? -difference : difference;
}
