import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { type Plan, CONCERNS_NOBODY } from "../operator/operator.ts";
import type { Tx, Transaction } from "../platform/database/database.ts";
import { AppError } from "../platform/app-error.ts";
import { findDecks, insertActivation, readDeckContent, SAMPLE_SOURCE } from "../rates/rates.ts";
import { compareWithActive, type ComparedDeck } from "./compare-with-active.ts";
import { cancelActivations, findDecksById, lockDecks, type DeckFacts } from "./decks.store.ts";
import type { Context, OperatorContext } from "../context.ts";

/** Delay in live mode, during which one command can cancel an activation before anybody is charged by it. */
const TIME_TO_CANCEL_MS = 5 * 60 * 1000;

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

/**
 * Plans to activate a deck; a second operator confirms unusual prices.
 * @param input.deck its id or a prefix of it
 * @throws AppError validation_failed if the deck does not exist, the time has passed, or a live service would sell by the sample deck
 */
export async function planActivation(
  tx: Transaction,
  ctx: OperatorContext,
  input: OperationInput<"activate-deck">,
): Promise<Plan<"activate-deck", Activated>> {
  await lockDecks(tx);
  const deck = await oneDeck(tx, input.deck);
  const at = input.at === null ? null : new Date(input.at);
  assertNotPassed(at, ctx.clock.now());
  const compared = await compareWithActive(tx, ctx, {
    content: await readDeckContent(tx, deck.id),
    trunk: deck.trunk,
    at: earliestStart(ctx, at),
  });
  return planCompared(tx, ctx, { reason: input.reason, at, deck, compared });
}

/** Cancels a deck's future activations. @param input.deck its id or a prefix of it */
export async function planCancelling(
  tx: Transaction,
  { clock }: OperatorContext,
  input: OperationInput<"cancel-deck">,
): Promise<Plan<"cancel-deck", readonly Date[]>> {
  await lockDecks(tx);
  const deck = await oneDeck(tx, input.deck);
  return {
    ...CONCERNS_NOBODY,
    subject: deck.id,
    detail: { deck: deck.name, ...ofTrunk(deck.trunk) },
    run: async () => {
      const times = await cancelActivations(tx, { deckId: deck.id, now: clock.now() });
      if (times.length === 0)
        throw new AppError("validation_failed", { reason: "operator.deck_not_waiting", params: { deck: deck.name } });
      return { result: times, detail: { effective_at: times.map((one) => one.toISOString()).join(" ") } };
    },
  };
}

/** The earliest time at which a deck activated now may be active. Live mode leaves time to cancel. */
export function earliestStart({ clock, config }: Context, at: Date | null): Date {
  const earliest = clock.now().getTime() + (config.mode === "live" ? TIME_TO_CANCEL_MS : 0);
  return new Date(Math.max(at?.getTime() ?? 0, earliest));
}

/** The same for a deck that is compared already. The transaction must hold the lock of decks. @param order.at null for now */
export function planCompared(
  tx: Transaction,
  ctx: OperatorContext,
  order: DeckOrder & { readonly deck: DeckFacts; readonly at: Date | null; readonly compared: ComparedDeck },
): Plan<"activate-deck", Activated> {
  const { deck, at, compared, reason } = order;
  if (!maySell(ctx, deck)) throw new AppError("validation_failed", { reason: "operator.deck_sample" });
  return {
    customerId: null,
    subject: deck.id,
    moves: { amountMicros: 0n, customers: "everyone" },
    concerns: compared.concerns,
    detail: {
      deck: deck.name,
      starts: at?.toISOString() ?? "now",
      replaces: compared.current?.id ?? "none",
      ...ofTrunk(deck.trunk),
    },
    run: async (approval) => {
      const start = earliestStart(ctx, at);
      const { activated, detail } = await activate(tx, ctx, { deck, reason, at: start, confirmed: approval !== null });
      return { result: activated, detail: { ...detail, jumps: compared.comparison.jumps.length } };
    },
  };
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
