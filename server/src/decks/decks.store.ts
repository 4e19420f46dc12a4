import { sql } from "kysely";
import type { Tx } from "../platform/database/database.ts";
import { SAMPLE_SOURCE, type StoredDeck } from "../rates/rates.ts";
import type { EarlierFile } from "./file/column-layout.ts";

const MAX_DECKS = 50;
const MAX_ACTIVATIONS = 100;
/** An arbitrary lock id that serialises storing and activating decks. */
const DECK_LOCK = 8_315_200_413;

export interface DeckFacts {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  /** The trunk whose costs it contains; null for a deck that calls are sold by. */
  readonly trunk: string | null;
  readonly created_at: Date;
}

/** A deck and when its prices begin. */
export interface DeckStart extends Pick<DeckFacts, "name" | "source" | "trunk"> {
  readonly effectiveAt: Date;
}

/** Prevents other operators from storing or activating decks until the transaction ends. */
export async function lockDecks(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DECK_LOCK})`.execute(tx);
}

/** The newest 50 decks, and the number of all. */
export async function readDecks(db: Tx): Promise<{ decks: (DeckFacts & { prices: number })[]; total: number }> {
  const { total } = await db
    .selectFrom("deck")
    .select(({ fn }) => fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  const decks = await db
    .selectFrom("deck")
    .select(["id", "name", "source", "trunk", "created_at", "prices"])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(MAX_DECKS)
    .execute();
  return { decks, total: Number(total) };
}

/** A deck, and from when it is active. */
export interface DeckActivation extends DeckFacts {
  readonly activation: string;
  /** Of a roll-back: the ordinary activation that counts again; null for others. */
  readonly returns_to: string | null;
  readonly effective_at: Date;
  readonly operator: string;
  readonly reason: string;
}

/** The newest 100 activations of a trunk's decks, or of those that calls are sold by, latest first. */
export function readActivations(db: Tx, trunk: string | null): Promise<DeckActivation[]> {
  return db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.id", "deck.name", "deck.source", "deck.trunk", "deck.created_at"])
    .where("deck.trunk", "is not distinct from", trunk)
    .where("activation.cancelled_at", "is", null)
    .select(["activation.id as activation", "activation.returns_to"])
    .select(["activation.effective_at", "activation.operator", "activation.reason"])
    .orderBy("activation.effective_at", "desc")
    .orderBy("activation.created_at", "desc")
    .orderBy("activation.id", "desc")
    .limit(MAX_ACTIVATIONS)
    .execute();
}

/** The next start of a deck, for sale or of a trunk; null if none is planned. */
export async function findNextStart(db: Tx, now: Date): Promise<DeckStart | null> {
  const found = await db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.name", "deck.source", "deck.trunk", "activation.effective_at as effectiveAt"])
    .where("activation.effective_at", ">", now)
    .where("activation.cancelled_at", "is", null)
    .orderBy("activation.effective_at")
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * The deck of the latest activation up to a time that a second operator confirmed; without any, the first deck. Null if there is none.
 * @param of.sample whether the sample deck counts
 */
export async function findConfirmedDeck(
  db: Tx,
  of: { readonly trunk: string | null; readonly at: Date; readonly sample: boolean },
): Promise<StoredDeck | null> {
  const activations = db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.id", "deck.name", "activation.effective_at as effectiveAt"])
    .where("deck.trunk", "is not distinct from", of.trunk)
    .where("activation.cancelled_at", "is", null)
    .where("activation.effective_at", "<=", of.at)
    .$if(!of.sample, (query) => query.where("deck.source", "<>", SAMPLE_SOURCE))
    .limit(1);
  const confirmed = activations.where("activation.confirmed", "=", true).orderBy("activation.effective_at", "desc");
  const first = activations.orderBy("activation.effective_at").orderBy("activation.created_at");
  return (await confirmed.executeTakeFirst()) ?? (await first.executeTakeFirst()) ?? null;
}

/** Whether any customer has ever paid. */
export async function hasPaidCustomer(db: Tx): Promise<boolean> {
  return (await db.selectFrom("payment").select("id").where("status", "=", "paid").limit(1).executeTakeFirst()) !== undefined;
}

/** Cancels a deck's future activations. @returns their times */
export async function cancelActivations(tx: Tx, { deckId, now }: { deckId: string; now: Date }): Promise<Date[]> {
  const cancelled = await tx
    .updateTable("deck_activation")
    .set({ cancelled_at: now })
    .where("deck_id", "=", deckId)
    .where("effective_at", ">", now)
    .where("cancelled_at", "is", null)
    .returning("effective_at")
    .execute();
  return cancelled.map((one) => one.effective_at).toSorted((a, b) => a.getTime() - b.getTime());
}

/** At most two decks whose id has this prefix. */
export function findDecksById(db: Tx, start: string): Promise<DeckFacts[]> {
  return db
    .selectFrom("deck")
    .select(["id", "name", "source", "trunk", "created_at"])
    .where(sql<string>`id::text`, "like", `${start.replaceAll(/[^0-9a-f-]/gi, "").toLowerCase()}%`)
    .limit(2)
    .execute();
}

export async function findDeckByChecksum(db: Tx, checksum: string, trunk: string | null): Promise<DeckFacts | null> {
  const found = await db
    .selectFrom("deck")
    .select(["id", "name", "source", "trunk", "created_at"])
    .where("checksum", "=", checksum)
    .where("trunk", "is not distinct from", trunk)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

export async function insertColumns(tx: Tx, deckId: string, { layout, notices }: EarlierFile): Promise<void> {
  await tx
    .insertInto("deck_columns")
    .values({ deck_id: deckId, layout: JSON.stringify(layout), notices: JSON.stringify(notices) })
    .execute();
}

/** The trunks that a deck was stored for, by name. */
export async function readTrunkNames(db: Tx): Promise<string[]> {
  const found = await db.selectFrom("deck").select("trunk").distinct().where("trunk", "is not", null).orderBy("trunk").execute();
  return found.flatMap(({ trunk }) => trunk ?? []);
}

/** The columns and read notices of the latest file of a trunk, or of the decks that calls are sold by; null if there was none. */
export async function findColumns(db: Tx, trunk: string | null): Promise<EarlierFile | null> {
  const found = await db
    .selectFrom("deck_columns")
    .innerJoin("deck", "deck.id", "deck_columns.deck_id")
    .select(["deck_columns.layout", "deck_columns.notices"])
    .where("deck.trunk", "is not distinct from", trunk)
    .orderBy("deck.created_at", "desc")
    .orderBy("deck.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}
