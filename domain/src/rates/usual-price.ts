import type { Micros } from "../money.ts";
import { billedSeconds, type BillingRate } from "../calls/charge.ts";

/** Distribution of answered calls' lengths, in percent. Long increments make short calls expensive. */
const TYPICAL_CALLS: readonly (readonly [seconds: number, percent: bigint])[] = [
  [10, 10n],
  [30, 15n],
  [60, 20n],
  [180, 30n],
  [600, 25n],
];

/** A prefix with its price per minute. */
export interface PrefixPrice {
  /** Digits. */
  readonly prefix: string;
  readonly ratePerMinuteMicros: Micros;
}

const LONGEST_NUMBER = 15;

/**
 * What most calls to some numbers cost, such as a country's mobiles: the price of the numbers that were really called, or, while too few
 * were, the price of most numbers that exist. Of two equal ones, the higher.
 * @param called answered calls by prefix, in any deck; empty if too few
 * @returns null without prices
 */
export function usualPrice(prices: readonly PrefixPrice[], called: ReadonlyMap<string, number>): Micros | null {
  const byCalls = callsByPrice(prices, called);
  const weights = byCalls.size > 0 ? byCalls : numbersByPrice(prices);
  let usual: Micros | null = null;
  for (const [price, weight] of weights) {
    const best = usual === null ? -1 : (weights.get(usual) ?? 0);
    if (weight > best || (weight === best && usual !== null && price > usual)) usual = price;
  }
  return usual;
}

/** Calls to prefixes that no longer have a price are left out. */
function callsByPrice(prices: readonly PrefixPrice[], called: ReadonlyMap<string, number>): Map<Micros, number> {
  const priceOf = new Map(prices.map((one) => [one.prefix, one.ratePerMinuteMicros]));
  const weights = new Map<Micros, number>();
  for (const [prefix, calls] of called) {
    const price = longestMatch(priceOf, prefix);
    if (price !== undefined) weights.set(price, (weights.get(price) ?? 0) + calls);
  }
  return weights;
}

function longestMatch(priceOf: ReadonlyMap<string, Micros>, digits: string): Micros | undefined {
  for (let length = digits.length; length > 0; length -= 1) {
    const price = priceOf.get(digits.slice(0, length));
    if (price !== undefined) return price;
  }
  return undefined;
}

/** A prefix covers its numbers, less those of longer prefixes. */
function numbersByPrice(prices: readonly PrefixPrice[]): Map<Micros, number> {
  const weights = new Map<Micros, number>();
  const add = (price: Micros, numbers: number) => weights.set(price, (weights.get(price) ?? 0) + numbers);
  const enclosing: PrefixPrice[] = [];
  for (const one of prices.toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1))) {
    while (enclosing.length > 0 && !one.prefix.startsWith(enclosing.at(-1)?.prefix ?? "")) enclosing.pop();
    const numbers = 10 ** (LONGEST_NUMBER - one.prefix.length);
    const around = enclosing.at(-1);
    if (around !== undefined) add(around.ratePerMinuteMicros, -numbers);
    add(one.ratePerMinuteMicros, numbers);
    enclosing.push(one);
  }
  return weights;
}

/** The cost of a hundred typical calls at a rate, in sixtieths of a micro-dollar. Only for comparing rates. */
export function typicalCost(rate: BillingRate): bigint {
  return TYPICAL_CALLS.reduce(
    (sum, [seconds, percent]) => sum + rate.ratePerMinuteMicros * BigInt(billedSeconds(seconds, rate)) * percent,
    0n,
  );
}

/** What remains of a typical call's price after its cost, in percent with one decimal; 0 without a price. */
export function typicalMargin(price: BillingRate, cost: BillingRate): number {
  const sold = typicalCost(price);
  return sold === 0n ? 0 : Number(((sold - typicalCost(cost)) * 1_000n) / sold) / 10;
}
