import { createHash } from "node:crypto";
import type { ImportRefusal } from "@farline/contract/operator/decks.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import { MOVES_NOTHING, recordOperation, type Approval, type Concern } from "../operator/operator.ts";
import { insertDeck, readSampleDeck, type DeckContent } from "../rates/rates.ts";
import { activateGuarded, assertNotPassed, earliestStart, ofTrunk, type Activated } from "./activate-deck.ts";
import { buildDeck, type BuiltDeck } from "./build-deck.ts";
import { NumberingPlan } from "./plan/numbering-plan.ts";
import type { DeckComparison } from "./compare-decks.ts";
import { compareWithForce } from "./compare-with-force.ts";
import { findColumns, findDeckByChecksum, insertColumns, lockDecks, type DeckFacts } from "./decks.store.ts";
import { COLUMN_WORDS, type ColumnMap } from "./file/deck-columns.ts";
import type { DateOrder } from "./file/deck-dates.ts";
import type { Increments } from "./file/deck-values.ts";
import { plainHeader } from "./file/header-words.ts";
import { readDeckFile, type DeckFile } from "./file/read-deck-file.ts";
import type { OperatorContext } from "../context.ts";
import type { DeckOrder } from "./deck-order.ts";
import type { Transaction } from "../platform/database/database.ts";

const NAME_LENGTH = 80;

export interface ImportOrder extends DeckOrder {
  readonly path: string;
  /** The file's name. */
  readonly source: string;
  /** The trunk whose costs the file contains; null for a deck that calls are sold by. */
  readonly trunk: string | null;
  /** The deck's name; null for the file's name. */
  readonly name: string | null;
  /** When the deck takes effect, which also selects its rows. Null to store it without activating it, with today's rows. */
  readonly effective: Date | "now" | null;
  readonly increments: Increments | null;
  readonly dates: DateOrder | null;
  readonly skipLines: ReadonlySet<number>;
  /** What the operator says about columns, by their headers, as `columnMap` reads it. */
  readonly columns: ColumnMap;
  /** Whether the columns may differ from those of the same carrier's latest file. */
  readonly newColumns: boolean;
  /** Whether the list is complete although it lacks more than half of the prefixes in force. */
  readonly complete: boolean;
  readonly dryRun: boolean;
}

/**
 * Reads what an operator says about columns, such as "Dial Codes=prefix" or "Connect Fee=ignore".
 * @throws AppError validation_failed
 */
export function columnMap(given: readonly string[]): ColumnMap {
  return new Map(
    given.map((text) => {
      const at = text.lastIndexOf("=");
      const meaning = COLUMN_WORDS[text.slice(at + 1).trim()];
      const header = plainHeader(text.slice(0, Math.max(at, 0)));
      if (meaning === undefined || header === "") throw refuseColumn(text);
      return [header, meaning];
    }),
  );
}

function refuseColumn(text: string): AppError {
  const words = Object.keys(COLUMN_WORDS).join(", ");
  const sentence = `"${text}" is not a header and its meaning, such as "Dial Codes=prefix". Meanings: ${words}.`;
  return new AppError("validation_failed", { reason: "operator.refused", params: { text: sentence } });
}

/** What was found in a file, without its rows. */
type ReadFile = Omit<DeckFile, "rows">;

/** Why a file is not stored, as a sentence. */
interface Refusal {
  readonly kind: ImportRefusal;
  readonly text: string;
}

/** What a file would change, and what was stored. */
export interface DeckReport {
  readonly trunk: string | null;
  readonly file: ReadFile;
  readonly built: BuiltDeck;
  readonly current: string | null;
  readonly comparison: DeckComparison;
  /** Why nothing is stored; empty if the file can be stored. */
  readonly refusals: readonly Refusal[];
  /** Why a second operator must confirm it before it is in force. */
  readonly concerns: readonly Concern[];
  readonly stored: DeckFacts | null;
  /** A deck with the same prices. */
  readonly same: DeckFacts | null;
  readonly activated: Activated | null;
  /** Its activation, if a second operator must confirm it. */
  readonly proposal: Approval | null;
}

/**
 * Imports a carrier's file: reads it, compares it with the deck in force, and stores it completely or not at all. Decks are never merged.
 * @throws AppError validation_failed if the whole file cannot be read, or the time has passed
 */
export async function importDeck(ctx: OperatorContext, order: ImportOrder): Promise<DeckReport> {
  const now = ctx.clock.now();
  const later = order.effective === "now" ? null : order.effective;
  assertNotPassed(later, now);
  const { file, built } = await readAndBuild(ctx, order, later ?? now);
  const checksum = checksumOf(built);
  return ctx.transaction(async (tx) => {
    await lockDecks(tx);
    const compared = await compareWithForce(tx, ctx, { content: built, trunk: order.trunk, at: earliestStart(ctx, later) });
    const { current, prices, comparison, concerns } = compared;
    const same = await findDeckByChecksum(tx, checksum, order.trunk);
    const refusals = refusalsOf(order, { file, built, comparison, before: prices, same });
    const stored = order.dryRun || refusals.length > 0 ? null : await store(tx, ctx, order, { built, file, checksum, now });
    const started =
      stored === null || order.effective === null
        ? null
        : await activateGuarded(tx, ctx, { reason: order.reason, deck: stored, at: later, compared });
    return {
      file,
      built,
      trunk: order.trunk,
      current: current?.name ?? null,
      comparison,
      refusals,
      concerns,
      stored,
      same,
      activated: started?.result ?? null,
      proposal: started?.proposal ?? null,
    };
  });
}

/** The rows of the file are not kept, because a million of them take 140 MB. */
async function readAndBuild(ctx: OperatorContext, order: ImportOrder, at: Date): Promise<{ file: ReadFile; built: BuiltDeck }> {
  const earlier = await findColumns(ctx.handle.db, order.trunk);
  const { rows, ...file } = await readDeckFile(order.path, { ...order, earlier });
  const { markUp } = ctx.settings.inForce(at);
  const plan = new NumberingPlan(await readSampleDeck(markUp));
  return { file, built: buildDeck(rows, { at, dates: order.dates, markUp, starts: file.starts }, plan, file.bad) };
}

function refusalsOf(
  order: ImportOrder,
  read: { file: ReadFile; built: BuiltDeck; comparison: DeckComparison; before: number; same: DeckFacts | null },
): Refusal[] {
  const { file, built, comparison, before, same } = read;
  const refusals: Refusal[] = [];
  const refuse = (kind: ImportRefusal, text: string): void => void refusals.push({ kind, text });
  if (file.bad.named.length > 0) refuse("bad_rows", "Some rows cannot be used. Correct them or leave them out.");
  if (file.notSkipped.length > 0)
    refuse("unknown_lines", `These lines to leave out are not rows of the file: ${file.notSkipped.slice(0, 20).join(", ")}.`);
  if (file.doubtful.length > 0) refuse("doubtful_columns", describeDoubtfulColumns(file));
  if (file.moved.length > 0 && !order.newColumns)
    refuse(
      "moved_columns",
      `The columns differ from those of the latest file: ${file.moved.join("; ")}. Check that they are read correctly.`,
    );
  if (built.rows.length === 0) refuse("nothing_applies", "No row of the file applies at that time.");
  if (same !== null) refuse("known_prices", `Deck ${same.id} has the same prices. Activate that one.`);
  if (!order.complete && comparison.gone * 2 > before)
    refuse("incomplete", "More than half of the prefixes in force are missing from the file. It may be only a part of the list.");
  return refusals;
}

function describeDoubtfulColumns({ doubtful }: ReadFile): string {
  const listed = doubtful.map(({ name, line, text }) => `"${name}" (line ${line}: ${text})`).join(", ");
  return `These columns are not read but may affect what calls cost, when or for whom: ${listed}.`;
}

async function store(
  tx: Transaction,
  ctx: OperatorContext,
  order: ImportOrder,
  { built: content, file, checksum, now }: { built: BuiltDeck; file: ReadFile; checksum: string; now: Date },
): Promise<DeckFacts> {
  const { source, trunk } = order;
  const name = (order.name ?? source).slice(0, NAME_LENGTH);
  const deck = { id: uuidv7(), name, source, trunk, created_at: now };
  await insertDeck(tx, { id: deck.id, name, source, checksum, trunk, createdAt: now }, content);
  await insertColumns(tx, deck.id, file);
  const { reason } = order;
  const leftOut = [...order.skipLines].slice(0, 100).join(" ");
  const detail = {
    file: source,
    prices: content.rows.length,
    left_out: leftOut,
    columns: file.layout
      .flatMap(({ header, column, isGiven }) => (isGiven ? `${header}=${column ?? "ignore"}` : []))
      .join(", ")
      .slice(0, 500),
    ...ofTrunk(trunk),
  };
  await recordOperation(tx, ctx, {
    moves: MOVES_NOTHING,
    action: "import-deck",
    customerId: null,
    subject: deck.id,
    reason,
    detail,
  });
  return deck;
}

/** SHA-256 of all prices, which recognises the same list in a different file. */
function checksumOf({ rows, blocks }: DeckContent): string {
  const hash = createHash("sha256");
  for (const { prefix, countryCode, numberType, cost, ...sale } of rows)
    hash.update(`${prefix} ${countryCode} ${numberType} ${termsOf(cost)} ${termsOf(sale)}\n`);
  for (const { prefix } of blocks) hash.update(`${prefix} not sold\n`);
  return hash.digest("hex");
}

function termsOf({ ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds }: BillingRate): string {
  return `${ratePerMinuteMicros} ${firstIntervalSeconds}/${nextIntervalSeconds}`;
}
