import { createHash } from "node:crypto";
import { basename } from "node:path";
import { uuidv7 } from "uuidv7";
import { recordOperation } from "../operator/operator.ts";
import { insertDeck, readSampleDeck, type DeckContent } from "../rates/rates.ts";
import { activateWithin, assertNotPassed, earliestStart, ofTrunk, type Activated } from "./activate-deck.ts";
import { buildDeck, type BuiltDeck } from "./build-deck.ts";
import { NumberingPlan } from "./plan/numbering-plan.ts";
import type { DeckComparison } from "./compare-decks.ts";
import { compareWithForce } from "./compare-with-force.ts";
import { findDeckByChecksum, lockDecks, type DeckFacts } from "./decks.store.ts";
import type { DateOrder } from "./file/deck-dates.ts";
import type { Increments } from "./file/deck-values.ts";
import { readDeckFile, type DeckFile } from "./file/read-deck-file.ts";
import { refusalOfMoves } from "./price-guard.ts";
import type { OperatorContext } from "../context.ts";
import type { DeckOrder } from "./deck-order.ts";
import type { Transaction } from "../platform/database/database.ts";

const NAME_LENGTH = 80;

export interface ImportOrder extends DeckOrder {
  readonly path: string;
  /** Whose costs the file tells; null: the deck that calls are sold by. */
  readonly trunk: string | null;
  /** The file's name unless given. */
  readonly name: string | null;
  /** When the deck begins, and of which day's rows it is made. Null: of today's, and it is only stored. */
  readonly effective: Date | "now" | null;
  readonly increments: Increments | null;
  readonly dates: DateOrder | null;
  readonly skipLines: ReadonlySet<number>;
  /** Headers of columns that are left out, although they may change what a call costs. */
  readonly ignoreColumns: readonly string[];
  /** The number of jumps that the operator typed to confirm them; null for none. */
  readonly confirmed: number | null;
  /** Whether prefixes that the file lacks may go even if they are more than half of the deck in force. */
  readonly complete: boolean;
  readonly dryRun: boolean;
}

/** What a file would change, and what was stored of it. */
export interface DeckReport {
  readonly trunk: string | null;
  readonly file: DeckFile;
  readonly built: BuiltDeck;
  readonly current: string | null;
  readonly comparison: DeckComparison;
  /** Why it is not stored, as sentences. */
  readonly refusals: readonly string[];
  readonly stored: DeckFacts | null;
  readonly activated: Activated | null;
}

/**
 * Makes a deck of a carrier's file: reads it, compares it with the deck in force, and stores it as a whole or not at all. It is
 * never merged into another deck.
 * @throws AppError validation_failed when the file as a whole can't be read or the time has passed
 */
export async function importDeck(ctx: OperatorContext, order: ImportOrder): Promise<DeckReport> {
  const now = ctx.clock.now();
  const later = order.effective === "now" ? null : order.effective;
  assertNotPassed(later, now);
  const file = await readDeckFile(order.path, order);
  const built = buildDeck(file, { at: later ?? now, dates: order.dates }, new NumberingPlan(await readSampleDeck()), file.bad);
  const checksum = checksumOf(built);
  return ctx.transaction(async (tx) => {
    await lockDecks(tx);
    const at = earliestStart(ctx, later);
    const { current, prices, comparison } = await compareWithForce(tx, ctx, { content: built, trunk: order.trunk, at });
    const same = await findDeckByChecksum(tx, checksum, order.trunk);
    const refusals = refusalsOf(order, { file, built, comparison, before: prices, same });
    const moves = order.effective === null || ctx.config.mode !== "live" ? null : refusalOfMoves(comparison, order.confirmed);
    if (moves !== null) refusals.push(moves);
    const stored = order.dryRun || refusals.length > 0 ? null : await store(tx, ctx, order, { content: built, checksum, now });
    const activated =
      stored === null || order.effective === null
        ? null
        : await activateWithin(tx, ctx, { ...order, deck: stored, at, moves: comparison, action: "activate-deck" });
    return { file, built, trunk: order.trunk, current, comparison, refusals, stored, activated };
  });
}

function refusalsOf(
  order: ImportOrder,
  read: { file: DeckFile; built: BuiltDeck; comparison: DeckComparison; before: number; same: DeckFacts | null },
): string[] {
  const { file, built, comparison, before, same } = read;
  const refusals: string[] = [];
  if (file.bad.named.length > 0) refusals.push("Some rows can't be used. Mend them, or leave lines out with --skip.");
  if (file.notSkipped.length > 0)
    refusals.push(`Of the lines to skip, these are no rows of the file: ${file.notSkipped.slice(0, 20).join(", ")}.`);
  if (file.doubtful.length > 0) refusals.push(doubtOf(file));
  if (built.rows.length === 0) refusals.push("No row of the file is in force at that time.");
  if (same !== null) refusals.push(`Deck ${same.id} has the same prices. Activate that one.`);
  if (!order.complete && comparison.gone * 2 > before)
    refusals.push("More than half of the prefixes in force are not in the file. If it is the whole list, say --complete.");
  return refusals;
}

function doubtOf({ doubtful }: DeckFile): string {
  const seen = doubtful.map(({ name, line, text }) => `"${name}" (line ${line}: ${text})`).join(", ");
  const names = doubtful.map(({ name }) => name).join(",");
  return `These columns are not read, and may change what calls cost, when or for whom: ${seen}. If they do not matter, say --ignore-columns "${names}".`;
}

async function store(
  tx: Transaction,
  ctx: OperatorContext,
  order: ImportOrder,
  { content, checksum, now }: { content: DeckContent; checksum: string; now: Date },
): Promise<DeckFacts> {
  const source = basename(order.path);
  const name = (order.name ?? source).slice(0, NAME_LENGTH);
  const { trunk } = order;
  const deck = { id: uuidv7(), name, source, trunk, created_at: now };
  await insertDeck(tx, { id: deck.id, name, source, checksum, trunk, createdAt: now }, content);
  const { reason } = order;
  const leftOut = [...order.skipLines].slice(0, 100).join(" ");
  const detail = {
    file: source,
    prices: content.rows.length,
    left_out: leftOut,
    ignored: order.ignoreColumns.join(", ").slice(0, 500),
    ...ofTrunk(trunk),
  };
  await recordOperation(tx, ctx, { action: "import-deck", customerId: null, subject: deck.id, reason, detail });
  return deck;
}

/** SHA-256 of all prices, so that the same list is known again whatever its file looks like. */
function checksumOf({ rows, blocks }: DeckContent): string {
  const hash = createHash("sha256");
  for (const { prefix, countryCode, numberType, cost } of rows)
    hash.update(
      `${prefix} ${countryCode} ${numberType} ${cost.ratePerMinuteMicros} ${cost.firstIntervalSeconds}/${cost.nextIntervalSeconds}\n`,
    );
  for (const { prefix } of blocks) hash.update(`${prefix} not sold\n`);
  return hash.digest("hex");
}
