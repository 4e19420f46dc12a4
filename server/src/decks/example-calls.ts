import { chargeFor } from "@farline/domain/calls/charge.ts";
import type { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { PricedRow } from "../rates/rates.ts";

/** No multiple of a minute, so that blocks of a minute show in the price. */
const SECONDS = 90;

/** A call at a list's prices, which an operator can compare with the carrier's paper. */
export interface ExampleCall {
  readonly chosen: "most_called" | "most_numbers" | "cheapest" | "most_expensive";
  readonly row: PricedRow;
  readonly seconds: number;
  readonly costMicros: bigint;
  /** Null if calls to it are not sold. */
  readonly saleMicros: bigint | null;
}

/**
 * Three calls: to the destination that is called most (without calls, to the one with most prefixes), to the cheapest and to the most
 * expensive one.
 * @param sold the deck that calls are sold by, for a trunk's list; null if the list itself says what customers pay
 */
export function exampleCalls(
  rows: DeckRows<PricedRow>,
  traffic: readonly PrefixTraffic[],
  sold: RateTable<PricedRow> | null,
): ExampleCall[] {
  const called = mostCalled(traffic);
  const largest = called === null ? largestCountry(rows) : null;
  let common: PricedRow | null = null;
  let cheapest: PricedRow | null = null;
  let dearest: PricedRow | null = null;
  for (const row of rows) {
    const { ratePerMinuteMicros: cost } = row.cost;
    if (cheapest === null || cost < cheapest.cost.ratePerMinuteMicros) cheapest = row;
    if (dearest === null || cost > dearest.cost.ratePerMinuteMicros) dearest = row;
    const isLonger = common === null || row.prefix.length > common.prefix.length;
    if (
      called !== null ? called.startsWith(row.prefix) && isLonger : row.countryCode === largest && (common === null || !isLonger)
    )
      common = row;
  }
  const chosen: readonly (readonly [ExampleCall["chosen"], PricedRow | null])[] = [
    [called === null ? "most_numbers" : "most_called", common],
    ["cheapest", cheapest],
    ["most_expensive", dearest],
  ];
  return chosen.flatMap(([why, row]) => (row === null ? [] : [example(why, row, sold)]));
}

function example(chosen: ExampleCall["chosen"], row: PricedRow, sold: RateTable<PricedRow> | null): ExampleCall {
  const sale = sold === null ? row : matchPrefix(sold, row.prefix);
  return {
    chosen,
    row,
    seconds: SECONDS,
    costMicros: chargeFor(SECONDS, row.cost),
    saleMicros: sale === null ? null : chargeFor(SECONDS, sale),
  };
}

/** The first digits of the numbers that were called most; null without calls. */
function mostCalled(traffic: readonly PrefixTraffic[]): string | null {
  const counts = new Map<string, number>();
  for (const { prefix, calls } of traffic) counts.set(prefix, (counts.get(prefix) ?? 0) + calls);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function largestCountry(rows: DeckRows<PricedRow>): string | null {
  const counts = new Map<string, number>();
  for (const { countryCode } of rows) counts.set(countryCode, (counts.get(countryCode) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
