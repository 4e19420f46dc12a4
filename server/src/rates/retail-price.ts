import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckRow } from "@farline/domain/rates/rating.ts";
import { saleIntervals } from "@farline/domain/rates/sale-terms.ts";
import type { PricedRow } from "./rates.store.ts";

const MIN_MARGIN_MICROS = 5_000n;
const MIN_PRICE_MICROS = 10_000n;
/** Prices are multiples of a tenth of a cent. */
const PRICE_STEP_MICROS = 1_000n;

/**
 * The customer's price for a minute that costs us `costMicros`: 1.4 times the cost, at least the cost plus half a cent, and at least a
 * cent, rounded up to a tenth of a cent.
 */
export function retailPrice(costMicros: bigint): bigint {
  const marked = (costMicros * 14n + 9n) / 10n;
  const price = [marked, costMicros + MIN_MARGIN_MICROS, MIN_PRICE_MICROS].reduce((a, b) => (b > a ? b : a));
  return ((price + PRICE_STEP_MICROS - 1n) / PRICE_STEP_MICROS) * PRICE_STEP_MICROS;
}

/** Prices a row by the carrier's cost: our price in our increments. */
export function pricedRow(
  range: Pick<DeckRow, "prefix" | "description" | "countryCode" | "numberType">,
  cost: BillingRate,
): PricedRow {
  const ratePerMinuteMicros = retailPrice(cost.ratePerMinuteMicros);
  return {
    ...range,
    ratePerMinuteMicros,
    ...saleIntervals(ratePerMinuteMicros, cost),
    cost,
  };
}
