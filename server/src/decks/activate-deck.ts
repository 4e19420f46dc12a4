import { guardChange, MOVES_NOTHING, recordOperation, type Moved } from "../operator/operator.ts";
import type { Tx, Transaction } from "../platform/database/database.ts";
import { AppError } from "../platform/app-error.ts";
import { findDecks, insertActivation, readDeckContent, SAMPLE_SOURCE } from "../rates/rates.ts";
import { compareWithActive, type ComparedDeck } from "./compare-with-active.ts";
import { cancelActivations, findDecksById, lockDecks, type DeckFacts } from "./decks.store.ts";
import type { Context, OperatorContext } from "../context.ts";

/** Delay in live mode, during which one command can cancel an activation before anybody is charged by it. */
const TIME_TO_CANCEL_MS = 5 * 60 * 1000;

/** The action in the audit log and in proposals. */
export const ACTIVATE_DECK = "activate-deck" as const;

/** An operator's command for a deck. */
export interface DeckOrder {
  readonly reason: string;
}

/** From when a deck is active, and the deck that an earlier activation activates after it. */
export interface Activated {
  readonly deck: DeckFacts;
  readonly effectiveAt: Date;
  readonly next: { readonly name: string; readonly effectiveAt: Date } | null;
}

/** Which deck to activate, and when. */
export interface ActivationOrder extends DeckOrder {
  /** Its id or a prefix of it. */
  readonly deck: string;
  /** Null for now. */
  readonly at: Date | null;
  /** Another operator's proposal to activate it at that time. */
  readonly confirms?: string;
}

/**
 * Activates a deck, or proposes it to a second operator if its prices are unusual.
 * @throws AppError validation_failed if the deck does not exist, the time has passed, or a live service would sell by the sample deck;
 * conflict if this operator may not confirm the proposal
 */
export async function activateDeck(ctx: OperatorContext, order: ActivationOrder): Promise<Moved<Activated>> {
  return ctx.transaction(async (tx) => {
    await lockDecks(tx);
    const deck = await oneDeck(tx, order.deck);
    assertNotPassed(order.at, ctx.clock.now());
    const compared = await compareWithActive(tx, ctx, {
      content: await readDeckContent(tx, deck.id),
      trunk: deck.trunk,
      at: earliestStart(ctx, order.at),
    });
    return activateGuarded(tx, ctx, { ...order, deck, compared });
  });
}

/**
 * Cancels a deck's future activations.
 * @param order.deck its id or a prefix of it
 * @returns the cancelled times
 * @throws AppError validation_failed if there are none
 */
export async function cancelDeck(ctx: OperatorContext, order: DeckOrder & { readonly deck: string }): Promise<readonly Date[]> {
  return ctx.transaction(async (tx) => {
    await lockDecks(tx);
    const deck = await oneDeck(tx, order.deck);
    const now = ctx.clock.now();
    const times = await cancelActivations(tx, { deckId: deck.id, now });
    if (times.length === 0)
      throw new AppError("validation_failed", { reason: "operator.deck_not_waiting", params: { deck: deck.name } });
    const detail = { deck: deck.name, effective_at: times.map((one) => one.toISOString()).join(" "), ...ofTrunk(deck.trunk) };
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "cancel-deck",
      customerId: null,
      subject: deck.id,
      reason: order.reason,
      detail,
    });
    return times;
  });
}

/** The earliest time at which a deck activated now may be active. Live mode leaves time to cancel. */
export function earliestStart({ clock, config }: Context, at: Date | null): Date {
  const earliest = clock.now().getTime() + (config.mode === "live" ? TIME_TO_CANCEL_MS : 0);
  return new Date(Math.max(at?.getTime() ?? 0, earliest));
}

/**
 * Activates a compared deck, or proposes it if there are concerns. The transaction must hold the lock of decks.
 * @param order.at null for now
 */
export async function activateGuarded(
  tx: Transaction,
  ctx: OperatorContext,
  order: DeckOrder & {
    readonly deck: DeckFacts;
    readonly at: Date | null;
    readonly compared: ComparedDeck;
    readonly confirms?: string;
  },
): Promise<Moved<Activated>> {
  const { deck, at, compared, reason, confirms = null } = order;
  assertMaySell(ctx, deck);
  const change = {
    action: ACTIVATE_DECK,
    subject: deck.id,
    reason,
    confirms,
    concerns: compared.concerns,
    moves: { amountMicros: 0n, customers: "everyone" } as const,
    detail: {
      deck: deck.name,
      starts: at?.toISOString() ?? "now",
      replaces: compared.current?.id ?? "none",
      ...ofTrunk(deck.trunk),
    },
  };
  return guardChange(tx, ctx, change, async () => {
    const start = earliestStart(ctx, at);
    const { activated, detail } = await activate(tx, ctx, { deck, reason, at: start, confirmed: confirms !== null });
    return { result: activated, detail: { ...detail, jumps: compared.comparison.jumps.length } };
  });
}

/** Activates a deck. @param order.returnsTo the activation that a roll-back returns to */
export async function activate(
  tx: Transaction,
  ctx: OperatorContext,
  order: DeckOrder & { readonly deck: DeckFacts; readonly at: Date; readonly confirmed: boolean; readonly returnsTo?: string },
): Promise<{ activated: Activated; detail: { deck: string; effective_at: string; trunk?: string } }> {
  const { deck, at: effectiveAt, ...how } = order;
  await insertActivation(tx, { deckId: deck.id, effectiveAt, operator: ctx.actor.name, ...how, at: ctx.clock.now() });
  const { next } = await findDecks(tx, effectiveAt, { trunk: deck.trunk, sample: ctx.config.mode === "sandbox" });
  const detail = { deck: deck.name, effective_at: effectiveAt.toISOString(), ...ofTrunk(deck.trunk) };
  return { activated: { deck, effectiveAt, next }, detail };
}

/** Refuses past times, because calls that have ended are already charged. */
export function assertNotPassed(at: Date | null, now: Date): void {
  if (at !== null && at < now)
    throw new AppError("validation_failed", { reason: "operator.deck_past", params: { time: at.toISOString() } });
}

function assertMaySell(ctx: Context, deck: DeckFacts): void {
  if (!maySell(ctx, deck)) throw new AppError("validation_failed", { reason: "operator.deck_sample" });
}

/** Whether calls may be sold by a deck: a live service never uses the sample deck. */
export function maySell(ctx: Context, deck: Pick<DeckFacts, "source">): boolean {
  return ctx.config.mode === "sandbox" || deck.source !== SAMPLE_SOURCE;
}

/** The trunk, for the audit log. */
export function ofTrunk(trunk: string | null): { trunk?: string } {
  return trunk === null ? {} : { trunk };
}

async function oneDeck(tx: Tx, start: string): Promise<DeckFacts> {
  const [deck, other] = start.length < 4 ? [] : await findDecksById(tx, start);
  if (deck === undefined) throw new AppError("validation_failed", { reason: "operator.no_deck", params: { deck: start } });
  if (other !== undefined) throw new AppError("validation_failed", { reason: "operator.decks_alike", params: { deck: start } });
  return deck;
}
