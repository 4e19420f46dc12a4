import { retailPrice, type MarkUp } from "@farline/domain/business/mark-up.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { saleIntervals } from "@farline/domain/rates/sale-terms.ts";
import type { PricedRow } from "./rates.store.ts";

/** Prices a row by the carrier's cost: our price in our increments. */
export function pricedRow(
  range: Pick<DeckRow, "prefix" | "description" | "countryCode" | "numberType">,
  cost: BillingRate,
  markUp: MarkUp,
): PricedRow {
  const ratePerMinuteMicros = retailPrice(cost.ratePerMinuteMicros, markUp);
  return {
    ...range,
    ratePerMinuteMicros,
    ...saleIntervals(ratePerMinuteMicros, cost),
    cost,
  };
}
