import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckRow } from "@farline/domain/rates/rating.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Database, Tx } from "../platform/database/database.ts";

export interface StoredDeck {
  readonly id: string;
  readonly name: string;
  readonly effectiveAt: Date;
}

/** A row to store: price and cost. */
export interface PricedRow extends DeckRow {
  /** What the carrier takes. */
  readonly cost: BillingRate;
}

/** An arbitrary lock id: services that start together on an empty database take turns to fill it. */
const SEED_LOCK = 8_315_200_412;
const ROWS_A_STATEMENT = 20_000;

/** The source of the deck that comes with the product. */
export const SAMPLE_SOURCE = "sample-deck.csv";

/** The deck in force at `at`, and the one that follows it, where there are such. `sample`: whether the sample deck counts. */
export async function findDecks(
  db: Tx,
  at: Date,
  sample: boolean,
): Promise<{ current: StoredDeck | null; next: StoredDeck | null }> {
  const activations = db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.id", "deck.name", "activation.effective_at as effectiveAt"])
    .$if(!sample, (query) => query.where("deck.source", "<>", SAMPLE_SOURCE))
    .limit(1);
  // With equal dates the newest activation counts.
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

/** All rows of a deck, sorted by prefix, each with what the carrier takes for it. */
export async function readDeckRows(db: Tx, deckId: string): Promise<PricedRow[]> {
  const stored = await db
    .selectFrom("deck_rate")
    .selectAll()
    .where("deck_id", "=", deckId)
    .orderBy(sql`prefix collate "C"`)
    .execute();
  return stored.map((rate) => ({
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
  }));
}

export interface NewDeck {
  readonly id: string;
  readonly name: string;
  /** A file name. */
  readonly source: string;
  readonly checksum: string | null;
  readonly createdAt: Date;
}

/** Stores a deck and its rows. It is not in force until it is activated. */
export async function insertDeck(tx: Tx, deck: NewDeck, rows: readonly PricedRow[]): Promise<void> {
  const { id, name, source, checksum, createdAt } = deck;
  await tx.insertInto("deck").values({ id, name, source, checksum, created_at: createdAt }).execute();
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) await insertRows(tx, id, rows.slice(at, at + ROWS_A_STATEMENT));
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

export interface Activation {
  readonly deckId: string;
  readonly effectiveAt: Date;
  readonly operator: string;
  readonly reason: string;
  readonly at: Date;
}

/** Puts a deck in force from `effectiveAt` on. */
export async function insertActivation(tx: Tx, { deckId, effectiveAt, operator, reason, at }: Activation): Promise<void> {
  const row = { id: uuidv7(), deck_id: deckId, effective_at: effectiveAt, operator, reason, created_at: at };
  await tx.insertInto("deck_activation").values(row).execute();
}

/** Whether there is any deck, in force or not. */
export async function hasDeck(db: Tx): Promise<boolean> {
  return (await db.selectFrom("deck").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Runs `fill` in a transaction if there is no deck at all; of services that try at once one does. */
export async function fillWhenEmpty(db: Database, fill: (tx: Tx) => Promise<void>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${SEED_LOCK})`.execute(tx);
    if (await hasDeck(tx)) return false;
    await fill(tx);
    return true;
  });
}
