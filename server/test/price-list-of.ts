import { DeckRows, type DeckRow } from "@farline/domain/rates/deck-rows.ts";
import type { CalledPrefix } from "../src/rates/rates.ts";
import { makePriceList, type PriceList } from "../src/rates/price-list.ts";

/** The price list of a deck without blocks. */
export function priceListOf(rows: readonly DeckRow[], called: readonly CalledPrefix[] = []): PriceList {
  const steps = makePriceList(DeckRows.from(rows), { blocks: [], called });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
