import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { columnMeaning, type ImportRefusal } from "@farline/contract/operator/decks.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import { type Approval, type Concern, recordOperation, settlePlan, CONCERNS_NOBODY } from "../operator/operator.ts";
import { type DeckContent, insertDeck } from "../rates/rates.ts";
import { type Activated, assertNotPassed, type DeckOrder, earliestStart, ofTrunk, planCompared } from "./activate-deck.ts";
import { buildDeck, type BuiltDeck } from "./build-deck.ts";
import { numberingPlan } from "./plan/numbering-plan.ts";
import type { DeckComparison } from "./compare-decks.ts";
import { compareWithActive } from "./compare-with-active.ts";
import type { ExampleCall } from "./example-calls.ts";
import { type DeckFacts, findColumns, findDeckByChecksum, insertColumns, lockDecks, readTrunkNames } from "./decks.store.ts";
import type { BadRow } from "./file/bad-rows.ts";
import { COLUMN_WORDS, type ColumnMap } from "./file/deck-columns.ts";
import type { DateOrder } from "./file/deck-dates.ts";
import type { Increments } from "./file/deck-values.ts";
import { plainHeader } from "./file/header-words.ts";
import { type DeckFile, readDeckFile } from "./file/read-deck-file.ts";
import type { OperatorContext } from "../context.ts";
import type { Transaction } from "../platform/database/database.ts";

const NAME_LENGTH = 80;

/** How a file is to be read. */
export interface ReadingOrder {
  readonly path: string;
  /** The trunk whose costs the file contains; null for a deck that calls are sold by. */
  readonly trunk: string | null;
  /** When the deck takes effect, which also selects its rows. Null to store it without activating it, with today's rows. */
  readonly effective: Date | "now" | null;
  readonly increments: Increments | null;
  readonly dates: DateOrder | null;
  readonly skipLines: ReadonlySet<number>;
  /** Words whose bad rows are left out, such as `price_form=closed`. */
  readonly skipWords: ReadonlySet<string>;
  /** What the operator says about columns, by their headers, as `columnMap` reads it. */
  readonly columns: ColumnMap;
}

export interface ImportOrder extends DeckOrder, ReadingOrder {
  /** The file's name. */
  readonly source: string;
  /** The name of a trunk that no deck was stored for yet, once more; null for a known one. */
  readonly newTrunk: string | null;
  /** Whether the list is of this kind although its words say otherwise. */
  readonly kindSure: boolean;
  /** The deck's name; null for the file's name. */
  readonly name: string | null;
  /** Whether the columns may differ from those of the same carrier's latest file. */
  readonly newColumns: boolean;
  /** Whether the list is complete although it lacks more than half of the active prefixes. */
  readonly complete: boolean;
  /** The preview that the operator has seen, which stores the list as it was shown; null only to look. */
  readonly preview: string | null;
}

/** Enough that no two readings share it by chance; short enough to type. */
const PREVIEW_DIGITS = 16;

/** Words for prices that somebody's customers pay: both kinds of list contain what the carrier takes from us. */
const OF_CUSTOMERS = /\b(?:sell|selling|sale|sales|retail|resale|resell|customers?|end[ -]?users?|subscribers?)\b/i;

const OF_TRUNK = /\btrunks?\b/i;

/**
 * Reads what an operator says about columns, such as "Dial Codes=prefix" or "Connect Fee=ignore".
 * @throws AppError validation_failed
 */
export function columnMap(given: readonly string[]): ColumnMap {
  return new Map(
    given.map((text) => {
      const at = text.lastIndexOf("=");
      const meaning = columnMeaning.options.find((one) => one === text.slice(at + 1).trim());
      const header = plainHeader(text.slice(0, Math.max(at, 0)));
      if (meaning === undefined || header === "") throw refuseColumn(text);
      return [header, COLUMN_WORDS[meaning]];
    }),
  );
}

function refuseColumn(text: string): AppError {
  const words = columnMeaning.options.join(", ");
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
  /** When it is activated; null if it is only stored. */
  readonly starts: ImportOrder["effective"];
  readonly examples: readonly ExampleCall[];
  /** Names what this report shows; the list is stored only by sending it back. */
  readonly preview: string;
  readonly comparison: DeckComparison;
  /** Why nothing is stored; empty if the file can be stored. */
  readonly refusals: readonly Refusal[];
  /** Why a second operator must confirm it before it is active. */
  readonly concerns: readonly Concern[];
  readonly stored: DeckFacts | null;
  /** A deck with the same prices. */
  readonly same: DeckFacts | null;
  readonly activated: Activated | null;
  /** Its activation, if a second operator must confirm it. */
  readonly proposal: Approval | null;
}

/**
 * Imports a carrier's file: reads it, compares it with the active deck, and stores it completely or not at all. Decks are never merged.
 * @throws AppError validation_failed if the whole file cannot be read, or the time has passed
 */
export async function importDeck(ctx: OperatorContext, order: ImportOrder): Promise<DeckReport> {
  const now = ctx.clock.now();
  const later = startOf(order);
  assertNotPassed(later, now);
  const { file, built } = await readAndBuild(ctx, order);
  const checksum = checksumOf(built);
  const fileHash = await hashOf(order.path);
  return ctx.transaction(async (tx) => {
    await lockDecks(tx);
    const compared = await compareWithActive(tx, ctx, { content: built, trunk: order.trunk, at: earliestStart(ctx, later) });
    const { current, prices, comparison, concerns, examples } = compared;
    const same = await findDeckByChecksum(tx, checksum, order.trunk);
    const preview = previewOf(order, { file: fileHash, prices: checksum, against: current?.id ?? null });
    const trunks = await readTrunkNames(tx);
    const known = { before: prices, same, trunks, current: current?.name ?? null, preview };
    const refusals = refusalsOf(order, { file, built, comparison }, known);
    const stored =
      order.preview === null || refusals.length > 0 ? null : await store(tx, ctx, order, { built, file, checksum, now });
    const started =
      stored === null || order.effective === null
        ? null
        : await settlePlan(tx, ctx, {
            name: "activate-deck",
            plan: planCompared(tx, ctx, { reason: order.reason, deck: stored, at: later, compared }),
            input: { deck: stored.id, at: later?.toISOString() ?? null, reason: order.reason },
            confirms: null,
          });
    return {
      file,
      built,
      trunk: order.trunk,
      current: current?.name ?? null,
      starts: order.effective,
      examples,
      preview,
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

/** Null for now. */
function startOf({ effective }: ReadingOrder): Date | null {
  return effective === "now" ? null : effective;
}

/**
 * Reads a file and builds its deck. The rows of the file are not kept, because a million of them take 140 MB.
 * @param onBad gets every row that cannot be used
 */
export async function readAndBuild(
  ctx: OperatorContext,
  order: ReadingOrder,
  onBad?: (row: BadRow) => void,
): Promise<{ file: ReadFile; built: BuiltDeck }> {
  const at = startOf(order) ?? ctx.clock.now();
  const earlier = await findColumns(ctx.handle.db, order.trunk);
  const { rows, ...file } = await readDeckFile(order.path, { ...order, earlier, onBad });
  const { markUp } = ctx.settings.current(at);
  const terms = { at, dates: order.dates, markUp, starts: file.starts };
  return { file, built: buildDeck(rows, terms, await numberingPlan(), file.bad) };
}

/** What refusals depend on besides the file. */
interface Known {
  /** The active deck: its number of prices and its name. */
  readonly before: number;
  readonly current: string | null;
  readonly same: DeckFacts | null;
  readonly trunks: readonly string[];
  readonly preview: string;
}

function refusalsOf(
  order: ImportOrder,
  { file, built, comparison }: { file: ReadFile; built: BuiltDeck; comparison: DeckComparison },
  known: Known,
): Refusal[] {
  const { before, same } = known;
  const refusals: Refusal[] = [];
  const refuse = (kind: ImportRefusal, text: string): void => void refusals.push({ kind, text });
  const doubts = order.kindSure ? [] : kindDoubts(order, file, known);
  if (doubts.length > 0) refuse("kind_doubtful", `This may be a list of another kind: ${doubts.join("; ")}.`);
  const isNew = order.trunk !== null && !known.trunks.includes(order.trunk);
  if (isNew && order.newTrunk !== order.trunk) refuse("unknown_trunk", describeUnknownTrunk(order.trunk, known.trunks));
  if (file.bad.named.length > 0) refuse("bad_rows", "Some rows cannot be used. Correct them or leave them out.");
  const unknown = [...file.notSkipped.map(String), ...wordsWithoutRows(file)];
  if (unknown.length > 0)
    refuse("unknown_lines", `No rows of the file are left out by these: ${unknown.slice(0, 20).join(", ")}.`);
  if (file.doubtful.length > 0) refuse("doubtful_columns", describeDoubtfulColumns(file));
  if (file.moved.length > 0 && !order.newColumns)
    refuse(
      "moved_columns",
      `The columns differ from those of the latest file: ${file.moved.join("; ")}. Check that they are read correctly.`,
    );
  if (built.rows.length === 0) refuse("nothing_applies", "No row of the file applies at that time.");
  if (same !== null) refuse("known_prices", `Deck ${same.id} has the same prices. Activate that one.`);
  if (!order.complete && comparison.gone * 2 > before)
    refuse("incomplete", "More than half of the active prefixes are missing from the file. It may be only a part of the list.");
  if (order.preview !== null && order.preview !== known.preview)
    refuse(
      "preview_differs",
      "The file, its order, our prices or the active deck differ from what you looked at. Compare this report, and store it then.",
    );
  return refusals;
}

function describeUnknownTrunk(trunk: string, trunks: readonly string[]): string {
  const listed = trunks.length === 0 ? "No trunk has a price list yet." : `Trunks with price lists: ${trunks.join(", ")}.`;
  return `No price list of trunk "${trunk}" was stored before. ${listed} If it is a new one, write its name again.`;
}

function wordsWithoutRows({ bad }: ReadFile): string[] {
  return [...bad.leftOut].flatMap(([word, count]) => (count === 0 ? [`"${word}"`] : []));
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
    left_out_words: [...file.bad.leftOut]
      .map(([word, count]) => `${word} (${count} rows)`)
      .join(", ")
      .slice(0, 500),
    preview: order.preview ?? "",
    columns: file.layout
      .flatMap(({ header, column, isGiven }) => (isGiven ? `${header}=${column ?? "ignore"}` : []))
      .join(", ")
      .slice(0, 500),
    ...ofTrunk(trunk),
  };
  await recordOperation(tx, ctx, {
    ...CONCERNS_NOBODY,
    action: "import-deck",
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

/**
 * Names what an operator looked at before a list is stored: the file, how it was ordered to be read, the prices that follow, and the deck
 * that they were compared with. A change of any of them is another preview.
 * @param read.file the file's SHA-256. @param read.prices that of the built prices
 */
function previewOf(
  order: Readonly<Record<"path" | "reason" | "preview", unknown>>,
  read: { file: string; prices: string; against: string | null },
): string {
  const { path: _path, reason: _reason, preview: _preview, ...rest } = order;
  const told = JSON.stringify({ ...rest, ...read }, (_key, value: unknown) =>
    value instanceof Set || value instanceof Map ? Array.from(value, (one) => JSON.stringify(one)).toSorted(byText) : value,
  );
  return createHash("sha256").update(told).digest("hex").slice(0, PREVIEW_DIGITS);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** SHA-256 of a file. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/**
 * Why a list may be of another kind than the operator says, by its own words: its name and its headers.
 * @param known.trunks the trunks that a deck was stored for. @param known.current the name of the active deck of the same kind
 */
function kindDoubts(
  { source, name, trunk }: { readonly source: string; readonly name: string | null; readonly trunk: string | null },
  { layout, beside }: Pick<DeckFile, "layout" | "beside">,
  known: { readonly trunks: readonly string[]; readonly current: string | null },
): string[] {
  const names = [source, ...(name === null ? [] : [name])].map(spaced);
  const texts = [...names, ...layout.map(({ header }) => header), ...beside.map(({ text }) => text)];
  const saying = (words: RegExp): string | undefined => texts.find((text) => words.test(text));
  const doubts: string[] = [];
  const other = known.trunks.find((one) => one !== trunk && names.some((text) => hasWords(text, one)));
  // A carrier's list may be both: what is sold by, and what its trunk costs. Then the active deck is named so too.
  if (other !== undefined && !hasWords(spaced(known.current ?? ""), other))
    doubts.push(`its name contains that of trunk "${other}"`);
  const sold = saying(OF_CUSTOMERS);
  if (sold !== undefined) doubts.push(`"${sold}" sounds like prices for customers, to which a mark-up was added already`);
  const ofTrunk = trunk === null ? saying(OF_TRUNK) : undefined;
  if (ofTrunk !== undefined) doubts.push(`"${ofTrunk}" sounds like the costs of a trunk`);
  return doubts;
}

/** A file name's words. */
function spaced(name: string): string {
  return name.replaceAll(/[_.]+/g, " ");
}

function hasWords(text: string, words: string): boolean {
  const plain = (one: string) =>
    ` ${one
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  return plain(text).includes(plain(words));
}
