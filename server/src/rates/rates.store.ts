import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { DeckRows, type DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { sql, type Insertable } from "kysely";
import { uuidv7 } from "uuidv7";
import type { DeckRateTable, CalledPrefixTable } from "./rates.tables.ts";
import type { Tx, Transaction } from "../platform/database/database.ts";
import { summarizeByCountry } from "./country-prices.ts";

export interface StoredDeck {
  readonly id: string;
  readonly name: string;
  readonly effectiveAt: Date;
}

/** A row to store, with price and cost. */
export interface PricedRow extends DeckRow {
  /** The carrier's cost. */
  readonly cost: BillingRate;
}

/** Numbers that a deck does not sell, although a shorter prefix has a price. */
export interface DeckBlock {
  readonly prefix: string;
  /** From the numbering plan. */
  readonly countryCode: string;
}

/** A deck's prices and blocks, both sorted by prefix. */
export interface DeckContent {
  readonly rows: DeckRows<PricedRow>;
  readonly blocks: readonly DeckBlock[];
}

/** An arbitrary lock id that serialises instances which start on an empty database. */
const SEED_LOCK = 8_315_200_412;
const ROWS_A_STATEMENT = 20_000;
/** Few enough that a block takes milliseconds. */
const ROWS_A_FETCH = 500;
const LONGEST_PREFIX = 15;
/** The exchange's limit. */
const MAX_TRUNKS = 50;

/** The source of the bundled sample deck. */
export const SAMPLE_SOURCE = "sample-deck.csv";

/**
 * The active deck at `at` and the one that follows it, null if there is none.
 * @param of.trunk the trunk whose costs the decks contain; null for decks that calls are sold by
 * @param of.sample whether the sample deck counts
 */
export async function findDecks(
  db: Tx,
  at: Date,
  of: { readonly trunk: string | null; readonly sample: boolean },
): Promise<{ current: StoredDeck | null; next: StoredDeck | null }> {
  const activations = db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.id", "deck.name", "activation.effective_at as effectiveAt"])
    .where("deck.trunk", "is not distinct from", of.trunk)
    .where("activation.cancelled_at", "is", null)
    .$if(!of.sample, (query) => query.where("deck.source", "<>", SAMPLE_SOURCE))
    .limit(1);
  // Of several activations for the same time, the newest counts.
  const [current, next] = await Promise.all([
    activations
      .where("activation.effective_at", "<=", at)
      .orderBy("activation.effective_at", "desc")
      .orderBy("activation.created_at", "desc")
      .orderBy("activation.id", "desc")
      .executeTakeFirst(),
    activations
      .where("activation.effective_at", ">", at)
      .orderBy("activation.effective_at")
      .orderBy("activation.created_at", "desc")
      .orderBy("activation.id", "desc")
      .executeTakeFirst(),
  ]);
  return { current: current ?? null, next: next ?? null };
}

/** All rows of a deck with their carrier costs, and all its blocks. */
export async function readDeckContent(db: Tx, deckId: string): Promise<DeckContent> {
  const blocks = await readDeckBlocks(db, deckId);
  const rows = new DeckRows<PricedRow>();
  await eachDeckRow(db, deckId, (row) => rows.add(row));
  return { rows, blocks };
}

export async function readDeckBlocks(db: Tx, deckId: string): Promise<DeckBlock[]> {
  return db
    .selectFrom("deck_block")
    .select(["prefix", "country_code as countryCode"])
    .where("deck_id", "=", deckId)
    .orderBy(sql`prefix collate "C"`)
    .execute();
}

/**
 * Reads a deck's rows in the order of their prefixes, a block at a time, so that a million rows neither hold up requests nor are in memory
 * together.
 */
export async function eachDeckRow(db: Tx, deckId: string, take: (row: PricedRow) => void): Promise<void> {
  if (!db.isTransaction) return db.connection().execute((one) => readThrough(one, deckId, take));
  return readThrough(db, deckId, take);
}

async function readThrough(db: Tx, deckId: string, take: (row: PricedRow) => void): Promise<void> {
  const cursor = sql.id(`deck_rows_${uuidv7()}`);
  // Outside a transaction, the rows are those of this moment.
  const hold = db.isTransaction ? sql`without hold` : sql`with hold`;
  await sql`declare ${cursor} no scroll cursor ${hold} for
    select * from deck_rate where deck_id = ${sql.lit(deckId)} order by prefix collate "C"`.execute(db);
  try {
    for (;;) {
      const { rows } = await sql<DeckRateTable>`fetch ${sql.lit(ROWS_A_FETCH)} from ${cursor}`.execute(db);
      if (rows.length === 0) return;
      for (const row of rows) take(toPricedRow(row));
    }
  } finally {
    if (!db.isTransaction) await sql`close ${cursor}`.execute(db);
  }
}

function toPricedRow(rate: DeckRateTable): PricedRow {
  return {
    prefix: rate.prefix,
    description: rate.description,
    countryCode: rate.country_code,
    numberType: rate.number_type,
    ratePerMinuteMicros: rate.rate_per_minute_micros,
    firstIntervalSeconds: rate.first_interval_seconds,
    nextIntervalSeconds: rate.next_interval_seconds,
    cost: {
      ratePerMinuteMicros: rate.cost_per_minute_micros,
      firstIntervalSeconds: rate.cost_first_interval_seconds,
      nextIntervalSeconds: rate.cost_next_interval_seconds,
    },
  };
}

export interface NewDeck {
  readonly id: string;
  readonly name: string;
  /** A file name. */
  readonly source: string;
  readonly checksum: string | null;
  /** The trunk whose costs the deck contains; null for a deck that calls are sold by. */
  readonly trunk: string | null;
  readonly createdAt: Date;
}

/** Stores a deck, which is not active until it is activated. */
export async function insertDeck(tx: Tx, deck: NewDeck, { rows, blocks }: DeckContent): Promise<void> {
  const { id, name, source, checksum, trunk, createdAt } = deck;
  await tx.insertInto("deck").values({ id, name, source, checksum, trunk, prices: rows.length, created_at: createdAt }).execute();
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) await insertRows(tx, id, rows.slice(at, at + ROWS_A_STATEMENT));
  await insertCountryPrices(tx, id, rows);
  for (let at = 0; at < blocks.length; at += ROWS_A_STATEMENT)
    await insertBlocks(tx, id, blocks.slice(at, at + ROWS_A_STATEMENT));
}

async function insertRows(tx: Tx, deckId: string, rows: readonly PricedRow[]): Promise<void> {
  await sql`
    insert into deck_rate (deck_id, prefix, description, country_code, number_type,
      rate_per_minute_micros, first_interval_seconds, next_interval_seconds,
      cost_per_minute_micros, cost_first_interval_seconds, cost_next_interval_seconds)
    select ${deckId}::uuid, * from unnest(
      ${rows.map((row) => row.prefix)}::text[],
      ${rows.map((row) => row.description)}::text[],
      ${rows.map((row) => row.countryCode)}::text[],
      ${rows.map((row) => row.numberType)}::text[],
      ${rows.map((row) => row.ratePerMinuteMicros)}::bigint[],
      ${rows.map((row) => row.firstIntervalSeconds)}::integer[],
      ${rows.map((row) => row.nextIntervalSeconds)}::integer[],
      ${rows.map((row) => row.cost.ratePerMinuteMicros)}::bigint[],
      ${rows.map((row) => row.cost.firstIntervalSeconds)}::integer[],
      ${rows.map((row) => row.cost.nextIntervalSeconds)}::integer[])`.execute(tx);
}

async function insertCountryPrices(tx: Tx, deckId: string, rows: Iterable<PricedRow>): Promise<void> {
  const found = summarizeByCountry(rows).map((one) => ({
    deck_id: deckId,
    country_code: one.countryCode,
    number_type: one.numberType,
    prefixes: one.prefixes,
    lowest_cost_micros: one.cost.lowest,
    highest_cost_micros: one.cost.highest,
    lowest_price_micros: one.price.lowest,
    highest_price_micros: one.price.highest,
  }));
  if (found.length > 0) await tx.insertInto("deck_country_price").values(found).execute();
}

async function insertBlocks(tx: Tx, deckId: string, blocks: readonly DeckBlock[]): Promise<void> {
  await sql`
    insert into deck_block (deck_id, prefix, country_code)
    select ${deckId}::uuid, * from unnest(
      ${blocks.map((block) => block.prefix)}::text[],
      ${blocks.map((block) => block.countryCode)}::text[])`.execute(tx);
}

interface Activation {
  readonly deckId: string;
  readonly effectiveAt: Date;
  readonly operator: string;
  readonly reason: string;
  /** Whether a second operator confirmed it. */
  readonly confirmed: boolean;
  readonly at: Date;
  /** Of a roll-back: the activation that counts again. */
  readonly returnsTo?: string;
}

/** Activates a deck from `effectiveAt`. */
export async function insertActivation(tx: Tx, { deckId, effectiveAt, at, returnsTo, ...by }: Activation): Promise<void> {
  const times = { effective_at: effectiveAt, created_at: at, cancelled_at: null };
  const row = { id: uuidv7(), deck_id: deckId, ...times, ...by, returns_to: returnsTo ?? null };
  await tx.insertInto("deck_activation").values(row).execute();
}

/** Whether any deck that calls are sold by exists, active or not. */
export async function hasDeck(db: Tx): Promise<boolean> {
  return (await db.selectFrom("deck").select("id").where("trunk", "is", null).limit(1).executeTakeFirst()) !== undefined;
}

/** What a deck says about a number. */
export interface DeckMatch {
  /** The row of its longest prefix; null if there is none or the number is blocked. */
  readonly row: PricedRow | null;
  /** The prefix that blocks it; null if none does. */
  readonly blockedBy: string | null;
}

/** Looks a number up in a deck that is not in memory. */
export async function matchDeck(db: Tx, deckId: string, e164: string): Promise<DeckMatch> {
  const prefixes = prefixesOf(e164);
  const [row, block] = await Promise.all([
    db
      .selectFrom("deck_rate")
      .selectAll()
      .where("deck_id", "=", deckId)
      .where("prefix", "in", prefixes)
      .orderBy(({ fn }) => fn("length", ["prefix"]), "desc")
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom("deck_block")
      .select("prefix")
      .where("deck_id", "=", deckId)
      .where("prefix", "in", prefixes)
      .orderBy(({ fn }) => fn("length", ["prefix"]), "desc")
      .limit(1)
      .executeTakeFirst(),
  ]);
  const isBlocked = block !== undefined && row !== undefined && block.prefix.length > row.prefix.length;
  return {
    row: row === undefined || isBlocked ? null : toPricedRow(row),
    blockedBy: isBlocked ? block.prefix : null,
  };
}

/** The cost of a number over a trunk with an active deck; null if that deck has no price for it. */
export interface TrunkCost {
  readonly trunk: string;
  readonly cost: BillingRate | null;
}

/** Of each trunk, the active deck at `at`; at most 50. */
const trunkDecks = (at: Date) => sql<{ trunk: string; id: string }>`
  select distinct on (d.trunk) d.trunk, d.id
  from deck_activation a join deck d on d.id = a.deck_id
  where d.trunk is not null and a.effective_at <= ${at} and a.cancelled_at is null
  order by d.trunk, a.effective_at desc, a.created_at desc, a.id desc
  limit ${MAX_TRUNKS}`;

export async function findTrunkDecks(db: Tx, at: Date): Promise<{ trunk: string; id: string }[]> {
  return (await trunkDecks(at).execute(db)).rows;
}

/** The costs of a number by trunk, from the longest prefix in each trunk's deck active at `at`; at most 50. */
export async function findTrunkCosts(db: Tx, e164: string, at: Date): Promise<TrunkCost[]> {
  const prefixes = prefixesOf(e164);
  const { rows } = await sql<{ trunk: string; micros: bigint | null; first: number; next: number }>`
    select deck.trunk, rate.cost_per_minute_micros as micros, rate.cost_first_interval_seconds as first,
      rate.cost_next_interval_seconds as next
    from (${trunkDecks(at)}) deck
    left join lateral (
      select * from deck_rate r where r.deck_id = deck.id and r.prefix = any(${prefixes}::text[])
      order by length(r.prefix) desc limit 1
    ) rate on not exists (
      select from deck_block b
      where b.deck_id = deck.id and b.prefix = any(${prefixes}::text[]) and length(b.prefix) > length(rate.prefix)
    )`.execute(db);
  return rows.map(({ trunk, micros, first, next }) => ({
    trunk,
    cost: micros === null ? null : { ratePerMinuteMicros: micros, firstIntervalSeconds: first, nextIntervalSeconds: next },
  }));
}

function prefixesOf(e164: string): string[] {
  const digits = e164.replace("+", "").slice(0, LONGEST_PREFIX);
  return Array.from(digits, (_, index) => digits.slice(0, index + 1));
}

/** Serialises instances that start at the same time and find no deck. */
export async function lockSeeding(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SEED_LOCK})`.execute(tx);
}

/** How often numbers with a prefix were called. */
export type CalledPrefix = Omit<Insertable<CalledPrefixTable>, "made_at">;

/** When the counts in use were made; null before the first. */
export async function calledPrefixesMadeAt(db: Tx): Promise<Date | null> {
  const latest = await db.selectFrom("called_prefix").select("made_at").limit(1).executeTakeFirst();
  return latest?.made_at ?? null;
}

export async function readCalledPrefixes(db: Tx): Promise<CalledPrefix[]> {
  return db.selectFrom("called_prefix").select(["country_code", "number_type", "prefix", "calls"]).execute();
}

/** Replaces all counts. */
export async function replaceCalledPrefixes(tx: Tx, counts: readonly CalledPrefix[], madeAt: Date): Promise<void> {
  await tx.deleteFrom("called_prefix").execute();
  if (counts.length > 0)
    await tx
      .insertInto("called_prefix")
      .values(counts.map((count) => ({ ...count, made_at: madeAt })))
      .execute();
}
