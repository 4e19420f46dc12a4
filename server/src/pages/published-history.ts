import type { PriceHistory, PriceLine, PriceStep } from "@farline/contract/public-pages.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import type { ServiceContext } from "../context.ts";
import { type PricePeriod, type PriceRange, readPriceHistory } from "../rates/rates.ts";

/** The most common number types come first. */
const MAIN_TYPES = ["mobile", "fixed_or_mobile", "landline"] as const;
/** Latest prices of a line: more would be too narrow to see. */
const MAX_STEPS = 24;
/** How long a page waits for its prices over time, and the pause afterwards in which no other page does. */
const MAX_WAIT_MS = 1_000;
const RETRY_MS = 10_000;

/**
 * The prices over time of the number types that are sold now, without costs and without scheduled prices.
 * @param periods the latest first
 */
export function priceHistory(periods: readonly PricePeriod[], now: Date): PriceHistory {
  const past = periods.filter(({ from }) => from <= now);
  const sold = MAIN_TYPES.filter((type) => past[0]?.prices.some(({ numberType }) => numberType === type));
  return { until: now.toISOString(), lines: sold.map((numberType) => ({ numberType, steps: stepsOf(past, numberType) })) };
}

/** Oldest first; periods with the price of the one before are left out. */
function stepsOf(periods: readonly PricePeriod[], numberType: PriceLine["numberType"]): PriceStep[] {
  const steps: PriceStep[] = [];
  for (const { from, prices } of periods.toReversed()) {
    const range = prices.find((one) => one.numberType === numberType)?.price;
    const price = range === undefined ? null : written(range);
    const before = steps.at(-1);
    if (before === undefined ? price === null : same(before.price, price)) continue;
    steps.push({ since: from.toISOString(), price });
  }
  return steps.slice(-MAX_STEPS);
}

function written({ lowest, highest }: PriceRange): PriceStep["price"] {
  return { lowest: rateToDecimalString(lowest), highest: rateToDecimalString(highest) };
}

function same(one: PriceStep["price"], other: PriceStep["price"]): boolean {
  return one?.lowest === other?.lowest && one?.highest === other?.highest;
}

/** Price histories of countries, read once for each active deck. */
export class PriceHistories {
  readonly #ctx: ServiceContext;
  readonly #readPeriods: typeof readPriceHistory;
  #deckId = "";
  #known = new Map<string, Promise<PriceHistory | null>>();
  #missedAt = Number.NEGATIVE_INFINITY;

  constructor(ctx: ServiceContext, readPeriods = readPriceHistory) {
    this.#ctx = ctx;
    this.#readPeriods = readPeriods;
  }

  /** Null while the database does not answer. */
  async of(countryCode: string, deckId: string): Promise<PriceHistory | null> {
    if (deckId !== this.#deckId) this.#known = new Map();
    this.#deckId = deckId;
    const known = this.#known.get(countryCode);
    const { clock } = this.#ctx;
    if (known === undefined && clock.now().getTime() - this.#missedAt < RETRY_MS) return null;
    const history = await settleWithin(known ?? this.#read(countryCode), MAX_WAIT_MS, () => null);
    if (history === null) this.#missedAt = clock.now().getTime();
    return history;
  }

  /** A failed read is forgotten, so that it is repeated. */
  #read(countryCode: string): Promise<PriceHistory | null> {
    const { clock, log } = this.#ctx;
    const known = this.#known;
    const history = this.#readPeriods(this.#ctx, countryCode)
      .then((periods) => priceHistory(periods, clock.now()))
      .catch((error: unknown) => {
        known.delete(countryCode);
        log.warn({ err: error, country: countryCode }, "could not read the prices of a country over time");
        return null;
      });
    known.set(countryCode, history);
    return history;
  }
}
