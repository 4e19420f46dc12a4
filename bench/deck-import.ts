import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { buildDeck } from "@farline/server/decks/build-deck.ts";
import { compareDecks } from "@farline/server/decks/compare-decks.ts";
import { readDeckFile } from "@farline/server/decks/file/read-deck-file.ts";
import { NumberingPlan } from "@farline/server/decks/plan/numbering-plan.ts";
import { readSampleDeck, type PricedRow } from "@farline/server/rates/rates.ts";

const ROWS = 1_000_000;
const SUFFIX_DIGITS = 4;
const MAX_BASE_DIGITS = 11;
const ROWS_A_WRITE = 10_000;

/** Reads a price list of a million rows, builds the deck, and compares it with one of the same size; without the database. */
export async function deckImport(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "farline-deck-"));
  try {
    const sample = await readSampleDeck(MARK_UP);
    const path = join(folder, "list.csv");
    writeList(path, sample);
    const before = process.cpuUsage().user;
    const { rows, ...file } = await readDeckFile(path, {
      increments: null,
      skipLines: new Set(),
      columns: new Map(),
      earlier: null,
    });
    const built = buildDeck(rows, { at: new Date(), dates: null, markUp: MARK_UP }, new NumberingPlan(sample), file.bad);
    const compared = compareDecks(built, built, [], () => null);
    return {
      rows: file.rowsRead,
      compared: compared.compared,
      "CPU, s": (process.cpuUsage().user - before) / 1e6,
      "peak memory, MB": Math.round(process.resourceUsage().maxRSS / 1_000),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes rows under the sample deck's prefixes. */
function writeList(path: string, sample: readonly PricedRow[]): void {
  const bases = sample.map(({ prefix }) => prefix).filter((prefix) => prefix.length <= MAX_BASE_DIGITS);
  const shortest = bases.filter((prefix) => !bases.some((other) => other !== prefix && prefix.startsWith(other)));
  const file = openSync(path, "w");
  let lines = ["Prefix,Rate,Billing"];
  for (let row = 0; row < ROWS; row += 1) {
    const suffix = String(Math.floor(row / shortest.length)).padStart(SUFFIX_DIGITS, "0");
    lines.push(`${shortest[row % shortest.length]}${suffix},${(0.005 + (row % 400) / 1_000).toFixed(4)},1/1`);
    if (lines.length < ROWS_A_WRITE && row < ROWS - 1) continue;
    writeSync(file, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(file);
}
