import type { PriceHistory, PriceLine, PriceStep } from "@farline/contract/public-pages.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { ServiceContext } from "../context.ts";
import { readPriceHistory, type PricePeriod, type PriceRange } from "../rates/rates.ts";

/** The most common number types come first. */
const MAIN_TYPES = ["mobile", "fixed_or_mobile", "landline"] as const;
/** Latest prices of a line: more would be too narrow to see. */
const MAX_STEPS = 24;
/** Pause after a failed read, so that pages do not wait for a database that is away. */
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

/** Price histories of countries, read once for each deck in force. */
export class PriceHistories {
  readonly #ctx: ServiceContext;
  #deckId = "";
  #known = new Map<string, Promise<PriceHistory>>();
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(ctx: ServiceContext) {
    this.#ctx = ctx;
  }

  /** Null while the database is away. */
  async of(countryCode: string, deckId: string): Promise<PriceHistory | null> {
    if (deckId !== this.#deckId) this.#known = new Map();
    this.#deckId = deckId;
    const known = this.#known.get(countryCode);
    if (known === undefined && this.#now() - this.#failedAt < RETRY_MS) return null;
    const history = known ?? this.#read(countryCode);
    this.#known.set(countryCode, history);
    try {
      return await history;
    } catch (error) {
      this.#known.delete(countryCode);
      this.#failedAt = this.#now();
      this.#ctx.log.warn({ err: error, country: countryCode }, "could not read the prices of a country over time");
      return null;
    }
  }

  #now(): number {
    return this.#ctx.clock.now().getTime();
  }

  async #read(countryCode: string): Promise<PriceHistory> {
    return priceHistory(await readPriceHistory(this.#ctx, countryCode), this.#ctx.clock.now());
  }
}
