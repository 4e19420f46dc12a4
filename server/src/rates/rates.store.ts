import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { DeckRow } from "@farline/domain/rates/rating.ts";
import { sql } from "kysely";
import type { Database, Tx } from "../platform/database/database.ts";

export interface StoredDeck {
  readonly id: string;
  readonly name: string;
  readonly effectiveAt: Date;
}

/** A row to store: price and cost. */
export interface PricedRow extends DeckRow {
  readonly costPerMinuteMicros: bigint;
  readonly costFirstIntervalSeconds: number;
  readonly costNextIntervalSeconds: number;
}

/** An arbitrary lock id: services that start together on an empty database take turns to fill it. */
const SEED_LOCK = 8_315_200_412;

/** The deck in force at `at`, and the one that follows it, where there are such. */
export async function findDecks(db: Tx, at: Date): Promise<{ current: StoredDeck | null; next: StoredDeck | null }> {
  const decks = db.selectFrom("deck").select(["id", "name", "effective_at as effectiveAt"]);
  const [current, next] = await Promise.all([
    decks
      .where("effective_at", "<=", at)
      .orderBy("effective_at", "desc")
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst(),
    // With equal dates the deck created last is in force.
    decks
      .where("effective_at", ">", at)
      .orderBy("effective_at")
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst(),
  ]);
  return { current: current ?? null, next: next ?? null };
}

/** All rows of a deck, sorted by prefix, each with what the carrier takes for it. */
export async function readDeckRows(db: Tx, deckId: string): Promise<{ row: DeckRow; cost: BillingRate }[]> {
  const stored = await db
    .selectFrom("deck_rate")
    .selectAll()
    .where("deck_id", "=", deckId)
    .orderBy(sql`prefix collate "C"`)
    .execute();
  return stored.map((rate) => ({
    row: {
      prefix: rate.prefix,
      description: rate.description,
      countryCode: rate.country_code,
      numberType: rate.number_type,
      ratePerMinuteMicros: rate.rate_per_minute_micros,
      firstIntervalSeconds: rate.first_interval_seconds,
      nextIntervalSeconds: rate.next_interval_seconds,
    },
    cost: {
      ratePerMinuteMicros: rate.cost_per_minute_micros,
      firstIntervalSeconds: rate.cost_first_interval_seconds,
      nextIntervalSeconds: rate.cost_next_interval_seconds,
    },
  }));
}

/** Stores a deck and its rows, in one statement for all rows. */
export async function insertDeck(
  tx: Tx,
  deck: StoredDeck & { readonly source: string; readonly createdAt: Date },
  rows: readonly PricedRow[],
): Promise<void> {
  await tx
    .insertInto("deck")
    .values({ id: deck.id, name: deck.name, source: deck.source, effective_at: deck.effectiveAt, created_at: deck.createdAt })
    .execute();
  await sql`
    insert into deck_rate (deck_id, prefix, description, country_code, number_type,
      rate_per_minute_micros, first_interval_seconds, next_interval_seconds,
      cost_per_minute_micros, cost_first_interval_seconds, cost_next_interval_seconds)
    select ${deck.id}::uuid, * from unnest(
      ${rows.map((row) => row.prefix)}::text[],
      ${rows.map((row) => row.description)}::text[],
      ${rows.map((row) => row.countryCode)}::text[],
      ${rows.map((row) => row.numberType)}::text[],
      ${rows.map((row) => row.ratePerMinuteMicros)}::bigint[],
      ${rows.map((row) => row.firstIntervalSeconds)}::integer[],
      ${rows.map((row) => row.nextIntervalSeconds)}::integer[],
      ${rows.map((row) => row.costPerMinuteMicros)}::bigint[],
      ${rows.map((row) => row.costFirstIntervalSeconds)}::integer[],
      ${rows.map((row) => row.costNextIntervalSeconds)}::integer[])`.execute(tx);
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
