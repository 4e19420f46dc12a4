import { DeckRows, type DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { makePriceList, type PriceList } from "../src/rates/price-list.ts";

/** The price list of a deck without blocks. */
export function priceListOf(rows: readonly DeckRow[]): PriceList {
  const steps = makePriceList(DeckRows.from(rows), []);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
