import { readFile } from "node:fs/promises";
import { fromDecimalString } from "@farline/domain/money.ts";
import { saleIntervals } from "@farline/domain/rates/sale-terms.ts";
import { parse } from "csv-parse/sync";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { retailPrice } from "./retail-price.ts";
import { fillWhenEmpty, hasDeck, insertDeck, type PricedRow } from "./rates.store.ts";

const SAMPLE = new URL("../../data/sample-deck.csv", import.meta.url);

interface SampleLine {
  prefix: string;
  description: string;
  iso2: string;
  number_type: string;
  price_per_min_usd: string;
  first_interval_s: string;
  next_interval_s: string;
  effective_date: string;
}

/**
 * Loads the sample deck at retail prices into a service without a deck, so that it works at once.
 * @returns the number of rates, or null when there already was a deck
 */
export async function seedSampleDeck(db: Database, clock: Clock): Promise<number | null> {
  if (await hasDeck(db)) return null;
  const lines: SampleLine[] = parse(await readFile(SAMPLE), { columns: true, max_record_size: 16_384 });
  const now = clock.now();
  const dated = new Date(`${lines[0]?.effective_date}T00:00:00Z`);
  const effectiveAt = dated < now ? dated : now;
  const deck = { id: uuidv7(), name: "Sample rates", source: "sample-deck.csv", effectiveAt, createdAt: now };
  const filled = await fillWhenEmpty(db, (tx) => insertDeck(tx, deck, lines.map(toPricedRow)));
  return filled ? lines.length : null;
}

function toPricedRow(line: SampleLine): PricedRow {
  const cost = {
    ratePerMinuteMicros: fromDecimalString(line.price_per_min_usd),
    firstIntervalSeconds: Number(line.first_interval_s),
    nextIntervalSeconds: Number(line.next_interval_s),
  };
  const ratePerMinuteMicros = retailPrice(cost.ratePerMinuteMicros);
  return {
    prefix: line.prefix,
    description: line.description,
    countryCode: line.iso2,
    numberType: line.number_type,
    ratePerMinuteMicros,
    ...saleIntervals(ratePerMinuteMicros, cost),
    costPerMinuteMicros: cost.ratePerMinuteMicros,
    costFirstIntervalSeconds: cost.firstIntervalSeconds,
    costNextIntervalSeconds: cost.nextIntervalSeconds,
  };
}
