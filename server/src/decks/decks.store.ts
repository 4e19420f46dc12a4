import { sql } from "kysely";
import type { Tx } from "../platform/database/database.ts";

const MOST_DECKS = 20;
const MOST_ACTIVATIONS = 100;
/** An arbitrary lock id: decks are stored and activated one after the other. */
const DECK_LOCK = 8_315_200_413;

export interface DeckFacts {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly created_at: Date;
}

/** Keeps other operators from storing or activating decks until the transaction ends. */
export async function lockDecks(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DECK_LOCK})`.execute(tx);
}

/** The newest 20 decks, each with the number of its prices. */
export function readDecks(db: Tx): Promise<(DeckFacts & { prices: bigint })[]> {
  return db
    .selectFrom("deck")
    .select(({ selectFrom }) => [
      "id",
      "name",
      "source",
      "created_at",
      selectFrom("deck_rate")
        .whereRef("deck_rate.deck_id", "=", "deck.id")
        .select(({ fn }) => fn.countAll<bigint>().as("prices"))
        .$asScalar()
        .$notNull()
        .as("prices"),
    ])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(MOST_DECKS)
    .execute();
}

/** A deck, and from when it is in force. */
export interface DeckActivation extends DeckFacts {
  readonly effective_at: Date;
  readonly operator: string;
  readonly reason: string;
}

/** The newest 100 activations, the latest date first. */
export function readActivations(db: Tx): Promise<DeckActivation[]> {
  return db
    .selectFrom("deck_activation as activation")
    .innerJoin("deck", "deck.id", "activation.deck_id")
    .select(["deck.id", "deck.name", "deck.source", "deck.created_at"])
    .select(["activation.effective_at", "activation.operator", "activation.reason"])
    .orderBy("activation.effective_at", "desc")
    .orderBy("activation.created_at", "desc")
    .orderBy("activation.id", "desc")
    .limit(MOST_ACTIVATIONS)
    .execute();
}

/** The decks whose id begins so, two at most. */
export function findDecksById(db: Tx, start: string): Promise<DeckFacts[]> {
  return db
    .selectFrom("deck")
    .select(["id", "name", "source", "created_at"])
    .where(sql<string>`id::text`, "like", `${start.replaceAll(/[^0-9a-f-]/gi, "").toLowerCase()}%`)
    .limit(2)
    .execute();
}

export async function findDeckByChecksum(db: Tx, checksum: string): Promise<DeckFacts | null> {
  const found = await db
    .selectFrom("deck")
    .select(["id", "name", "source", "created_at"])
    .where("checksum", "=", checksum)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}
