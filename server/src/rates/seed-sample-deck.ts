import { readFile } from "node:fs/promises";
import { retailPrice, type MarkUp } from "@farline/domain/business/mark-up.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { DeckRows, type DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { parse } from "csv-parse/sync";
import { uuidv7 } from "uuidv7";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { saleIntervals } from "@farline/domain/rates/sale-terms.ts";
import { lockSeeding, hasDeck, insertActivation, insertDeck, SAMPLE_SOURCE, type PricedRow } from "./rates.store.ts";
import type { Context } from "../context.ts";

const SAMPLE = new URL("../../data/sample-deck.csv", import.meta.url);
const SAMPLE_DATE = new Date("2026-01-01T00:00:00Z");

interface SampleLine {
  prefix: string;
  description: string;
  iso2: string;
  number_type: string;
  price_per_min_usd: string;
  first_interval_s: string;
  next_interval_s: string;
}

/**
 * Loads the sample deck at retail prices into a service without a deck, so that it works out of the box.
 * @returns the number of rates, or null if there already is a deck
 */
export async function seedSampleDeck(ctx: Context): Promise<number | null> {
  if (await hasDeck(ctx.handle.db)) return null;
  const rows = await readSampleDeck(ctx.settings.current().markUp);
  const now = ctx.clock.now();
  const effectiveAt = SAMPLE_DATE < now ? SAMPLE_DATE : now;
  const deck = { id: uuidv7(), name: "Sample rates", source: SAMPLE_SOURCE, checksum: null, trunk: null, createdAt: now };
  const activation = { deckId: deck.id, effectiveAt, operator: "system", reason: "there was no deck", confirmed: false, at: now };
  return ctx.transaction(async (tx) => {
    await lockSeeding(tx);
    if (await hasDeck(tx)) return null;
    await insertDeck(tx, deck, { rows: DeckRows.from(rows), blocks: [] });
    await insertActivation(tx, activation);
    return rows.length;
  });
}

/** The rows of the sample deck, which is also the source of every number range's country and type. */
export async function readSampleDeck(markUp: MarkUp): Promise<PricedRow[]> {
  const lines: SampleLine[] = parse(await readFile(SAMPLE), { columns: true, max_record_size: 16_384 });
  return lines.map((line) =>
    pricedRow(
      { prefix: line.prefix, description: line.description, countryCode: line.iso2, numberType: line.number_type },
      {
        ratePerMinuteMicros: fromDecimalString(line.price_per_min_usd),
        firstIntervalSeconds: Number(line.first_interval_s),
        nextIntervalSeconds: Number(line.next_interval_s),
      },
      markUp,
    ),
  );
}

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
