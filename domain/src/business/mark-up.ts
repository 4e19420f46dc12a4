import type { Micros } from "../money.ts";

/** How prices follow from carriers' costs. */
export interface MarkUp {
  /** In percent of the cost. */
  readonly percent: bigint;
  /** The least that a minute earns. */
  readonly minMarginMicros: Micros;
  /** The least that a minute costs. */
  readonly minPriceMicros: Micros;
}

export const MARK_UP: MarkUp = { percent: 40n, minMarginMicros: 5_000n, minPriceMicros: 10_000n };

/** Prices are multiples of a tenth of a cent. */
const PRICE_STEP_MICROS = 1_000n;

/** The customer's price for a minute that costs us `costMicros`, rounded up to a tenth of a cent. */
export function retailPrice(costMicros: Micros, { percent, minMarginMicros, minPriceMicros }: MarkUp): Micros {
  const marked = (costMicros * (100n + percent) + 99n) / 100n;
  const price = [marked, costMicros + minMarginMicros, minPriceMicros].reduce((a, b) => (b > a ? b : a));
  return ((price + PRICE_STEP_MICROS - 1n) / PRICE_STEP_MICROS) * PRICE_STEP_MICROS;
}
