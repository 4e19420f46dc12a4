import { recordOperation } from "../operator/operator.ts";
import type { Config } from "../platform/settings/config.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle, Tx } from "../platform/database/database.ts";
import { AppError } from "../platform/http/app-error.ts";
import { findDecks, insertActivation, SAMPLE_SOURCE } from "../rates/rates.ts";
import { findDecksById, lockDecks, readActivations, type DeckFacts } from "./decks.store.ts";

/** What decks need of the service. */
export interface DeckDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "mode">;
}

export interface DeckOrder {
  readonly operator: string;
  readonly reason: string;
}

/** From when a deck is in force, and what an earlier order still puts in force after it. */
export interface Activated {
  readonly deck: DeckFacts;
  readonly effectiveAt: Date;
  readonly next: { readonly name: string; readonly effectiveAt: Date } | null;
}

/**
 * Puts a deck in force.
 * @param order.deck its id or the beginning of it
 * @param order.at null for at once
 * @throws AppError validation_failed when there is no such deck, the time has passed, or a live service would sell the sample deck
 */
export async function activateDeck(
  deps: DeckDependencies,
  order: DeckOrder & { readonly deck: string; readonly at: Date | null },
): Promise<Activated> {
  return deps.handle.db.transaction().execute(async (tx) => {
    await lockDecks(tx);
    const deck = await oneDeck(tx, order.deck);
    return activateWithin(tx, deps, { ...order, deck, action: "activate-deck" });
  });
}

/**
 * Puts the deck in force that was so before the present one. Nothing is edited: it is one more activation.
 * @param order.trunk whose deck; null for the one that calls are sold by
 * @throws AppError validation_failed when there was none before
 */
export async function rollBackDeck(
  deps: DeckDependencies,
  order: DeckOrder & { readonly trunk: string | null },
): Promise<Activated> {
  return deps.handle.db.transaction().execute(async (tx) => {
    await lockDecks(tx);
    const now = deps.clock.now();
    const passed = (await readActivations(tx, order.trunk)).filter((one) => one.effective_at <= now);
    const deck = passed.find((one) => one.id !== passed[0]?.id && maySell(deps, one));
    if (deck === undefined)
      throw new AppError("validation_failed", "No other deck was in force before, so there is none to go back to.");
    return activateWithin(tx, deps, { ...order, deck, at: null, action: "roll-back-deck" });
  });
}

/** Activates a deck inside a transaction that holds the lock of decks. */
export async function activateWithin(
  tx: Tx,
  deps: DeckDependencies,
  order: DeckOrder & { readonly deck: DeckFacts; readonly at: Date | null; readonly action: string },
): Promise<Activated> {
  const now = deps.clock.now();
  const { deck, operator, reason } = order;
  if (!maySell(deps, deck))
    throw new AppError("validation_failed", "The sample deck's prices are nobody's: a live service does not sell by it.");
  assertNotPassed(order.at, now);
  const effectiveAt = order.at ?? now;
  await insertActivation(tx, { deckId: deck.id, effectiveAt, operator, reason, at: now });
  const detail = { deck: deck.name, effective_at: effectiveAt.toISOString(), ...ofTrunk(deck.trunk) };
  await recordOperation(tx, { operator, action: order.action, customerId: null, subject: deck.id, reason, detail, at: now });
  const { next } = await findDecks(tx, effectiveAt, { trunk: deck.trunk, sample: deps.config.mode === "sandbox" });
  return { deck, effectiveAt, next };
}

/** Calls are charged as they end, so a deck never begins in the past. */
export function assertNotPassed(at: Date | null, now: Date): void {
  if (at !== null && at < now)
    throw new AppError("validation_failed", `${at.toISOString()} has passed. Leave the time out to begin at once.`);
}

function maySell(deps: DeckDependencies, deck: DeckFacts): boolean {
  return deps.config.mode === "sandbox" || deck.source !== SAMPLE_SOURCE;
}

/** For the record of operations. */
export function ofTrunk(trunk: string | null): { trunk?: string } {
  return trunk === null ? {} : { trunk };
}

async function oneDeck(tx: Tx, start: string): Promise<DeckFacts> {
  const [deck, other] = start.length < 4 ? [] : await findDecksById(tx, start);
  if (deck === undefined) throw new AppError("validation_failed", `There is no deck ${start}. \`decks list\` shows them.`);
  if (other !== undefined) throw new AppError("validation_failed", `Several decks begin with ${start}. Write more of the id.`);
  return deck;
}
