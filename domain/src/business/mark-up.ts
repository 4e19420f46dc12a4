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

/** The part of the mark-up that decides a price: the one that asks for most. */
type MarkUpRule = "percent" | "min_margin" | "min_price";

/** The customer's price for a minute that costs us `costMicros`, rounded up to a tenth of a cent. */
export function retailPrice(costMicros: Micros, markUp: MarkUp): Micros {
  const { micros } = highest(costMicros, markUp);
  return ((micros + PRICE_STEP_MICROS - 1n) / PRICE_STEP_MICROS) * PRICE_STEP_MICROS;
}

/** The rule that decides the price for a minute that costs us `costMicros`. */
export function ruleOfPrice(costMicros: Micros, markUp: MarkUp): MarkUpRule {
  return highest(costMicros, markUp).rule;
}

function highest(costMicros: Micros, { percent, minMarginMicros, minPriceMicros }: MarkUp): { rule: MarkUpRule; micros: Micros } {
  const byRule: { rule: MarkUpRule; micros: Micros }[] = [
    { rule: "percent", micros: (costMicros * (100n + percent) + 99n) / 100n },
    { rule: "min_margin", micros: costMicros + minMarginMicros },
    { rule: "min_price", micros: minPriceMicros },
  ];
  return byRule.reduce((a, b) => (b.micros > a.micros ? b : a));
}
