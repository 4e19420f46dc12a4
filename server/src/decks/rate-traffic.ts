import { billedSeconds, type BillingRate } from "@farline/domain/calls/charge.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import { matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import type { PrefixTraffic } from "../calls/calls.ts";
import type { PricedRow } from "../rates/rates.ts";

/** What calls cost us and what customers pay for them, in micro-dollars. */
export interface Money {
  readonly costMicros: bigint;
  readonly saleMicros: bigint;
}

/** The calls of the last 30 days to a country, or to all, at the prices of two decks. */
interface RatedTraffic {
  readonly calls: number;
  readonly seconds: number;
  /** Calls that had a price and have none now, and calls that have one only now. */
  readonly lost: number;
  readonly gained: number;
  readonly before: Money;
  readonly after: Money;
}

/** The same for a country. */
export interface CountryTraffic extends RatedTraffic {
  readonly countryCode: string;
}

export interface TrafficReport extends RatedTraffic {
  /** The countries that were called, the largest change of money first. */
  readonly countries: readonly CountryTraffic[];
  /** Sums of the countries where it rises and where it falls, for calls with a price in both decks. */
  readonly cost: Directions;
  readonly sale: Directions;
}

export interface Directions {
  readonly moreMicros: bigint;
  readonly lessMicros: bigint;
}

const NO_MONEY: Money = { costMicros: 0n, saleMicros: 0n };
const NO_CALLS: RatedTraffic = { calls: 0, seconds: 0, lost: 0, gained: 0, before: NO_MONEY, after: NO_MONEY };

type Sums = { -readonly [Key in keyof RatedTraffic]: RatedTraffic[Key] } & { cost: bigint; sale: bigint };

/**
 * Rates the calls of the last 30 days by two decks. Prefixes without the margin are not sold, so they have no price.
 * @param knownCost what carriers would take for these calls as far as anything but the decks tells; the higher cost counts
 */
export function rateTraffic(
  before: RateTable<PricedRow>,
  after: RateTable<PricedRow>,
  traffic: readonly PrefixTraffic[],
  knownCost: (calls: PrefixTraffic) => bigint | null,
): TrafficReport {
  const sums = new Map<string, Sums>();
  const offerOf = (table: RateTable<PricedRow>, prefix: string) => {
    const row = matchPrefix(table, prefix);
    return row !== null && keepsMargin(row, row.cost) ? row : null;
  };
  for (const group of traffic) {
    const sum = sums.get(group.countryCode) ?? { ...NO_CALLS, cost: 0n, sale: 0n };
    sums.set(group.countryCode, sum);
    addGroup(sum, group, {
      was: offerOf(before, group.prefix),
      is: offerOf(after, group.prefix),
      known: knownCost(group),
    });
  }
  const countries = [...sums].map(([countryCode, { cost: _cost, sale: _sale, ...sum }]) => ({ countryCode, ...sum }));
  const changes = [...sums.values()];
  return {
    ...total(countries),
    countries: countries.toSorted((a, b) => Number(moved(b) - moved(a)) || b.calls - a.calls),
    cost: directions(changes.map(({ cost }) => cost)),
    sale: directions(changes.map(({ sale }) => sale)),
  };
}

/** What calls of similar length are charged: exact for increments of a second, and for multiples of 6 seconds up to a minute. */
export function chargeTogether({ calls, seconds }: Pick<PrefixTraffic, "calls" | "seconds">, rate: BillingRate): bigint {
  const mean = seconds / calls;
  const isBySecond = rate.nextIntervalSeconds === 1 && mean >= rate.firstIntervalSeconds;
  const billed = isBySecond ? seconds : billedSeconds(mean, rate) * calls;
  return (rate.ratePerMinuteMicros * BigInt(billed)) / 60n;
}

function addGroup(
  sum: Sums,
  group: PrefixTraffic,
  { was, is, known }: { was: PricedRow | null; is: PricedRow | null; known: bigint | null },
): void {
  sum.calls += group.calls;
  sum.seconds += group.seconds;
  if (was !== null && is === null) sum.lost += group.calls;
  if (was === null && is !== null) sum.gained += group.calls;
  const old = was === null ? null : moneyOf(group, was, known);
  const fresh = is === null ? null : moneyOf(group, is, known);
  sum.before = plus(sum.before, old);
  sum.after = plus(sum.after, fresh);
  if (old === null || fresh === null) return;
  sum.cost += fresh.costMicros - old.costMicros;
  sum.sale += fresh.saleMicros - old.saleMicros;
}

function moneyOf(group: PrefixTraffic, row: PricedRow, known: bigint | null): Money {
  const own = chargeTogether(group, row.cost);
  return { costMicros: known !== null && known > own ? known : own, saleMicros: chargeTogether(group, row) };
}

function plus(sum: Money, added: Money | null): Money {
  if (added === null) return sum;
  return { costMicros: sum.costMicros + added.costMicros, saleMicros: sum.saleMicros + added.saleMicros };
}

function total(countries: readonly RatedTraffic[]): RatedTraffic {
  return countries.reduce(
    (all, one): RatedTraffic => ({
      calls: all.calls + one.calls,
      seconds: all.seconds + one.seconds,
      lost: all.lost + one.lost,
      gained: all.gained + one.gained,
      before: plus(all.before, one.before),
      after: plus(all.after, one.after),
    }),
    NO_CALLS,
  );
}

function directions(changes: readonly bigint[]): Directions {
  return {
    moreMicros: changes.reduce((sum, change) => (change > 0n ? sum + change : sum), 0n),
    lessMicros: changes.reduce((sum, change) => (change < 0n ? sum - change : sum), 0n),
  };
}

function moved({ before, after }: RatedTraffic): bigint {
  return size(after.costMicros - before.costMicros) + size(after.saleMicros - before.saleMicros);
}

function size(micros: bigint): bigint {
  return micros < 0n ? -micros : micros;
}
