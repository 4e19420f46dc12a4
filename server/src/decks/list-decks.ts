import type { DeckResponse, DecksResponse, DeckState } from "@farline/contract/operator/decks.ts";
import type { Context } from "../context.ts";
import { kindOf } from "./report/present-report.ts";
import { passed, stepBack } from "./roll-back-deck.ts";
import { openApprovals } from "../operator/operator.ts";
import { SAMPLE_SOURCE } from "../rates/rates.ts";
import { maySell } from "./activate-deck.ts";
import { findNextStart, readActivations, readDecks, type DeckActivation, type DeckStart } from "./decks.store.ts";

/** The newest decks, with the state and the activations of each. */
export async function listDecks(ctx: Context): Promise<DecksResponse> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const { decks, total } = await readDecks(db);
  const trunks = [...new Set(decks.map(({ trunk }) => trunk))];
  const byTrunk = await Promise.all(trunks.map((trunk) => readActivations(db, trunk)));
  const current = new Set(byTrunk.map((ofTrunk) => ofTrunk.find((one) => one.effective_at <= now)));
  const stateOf = (one: DeckActivation) =>
    current.has(one) ? ("active" as const) : one.effective_at > now ? ("scheduled" as const) : ("past" as const);
  const steps = byTrunk.map((ofTrunk) => stepBack(passed(ofTrunk, now), (one) => maySell(ctx, one)));
  const proposals = (await openApprovals(ctx)).filter(({ action }) => action === "activate-deck");
  return {
    total,
    decks: decks.map(({ id, name, source, trunk, prices, created_at: storedAt }): DeckResponse => {
      const activations = byTrunk
        .flat()
        .filter((one) => one.id === id)
        .map((one) => ({
          effective_at: one.effective_at.toISOString(),
          state: stateOf(one),
          operator: one.operator,
          reason: one.reason,
        }));
      const back = steps.find((step) => step?.from.id === id)?.to ?? null;
      const proposal = proposals.find(({ subject }) => subject === id)?.id ?? null;
      const states = new Set(activations.map(({ state }) => state));
      return {
        id,
        name,
        source,
        ...kindOf(trunk),
        prices,
        stored_at: storedAt.toISOString(),
        state: deckStateOf(states, proposal !== null),
        activations,
        proposal,
        goes_back_to: back === null ? null : { id: back.id, name: back.name, effective_at: back.effective_at.toISOString() },
      };
    }),
  };
}

function deckStateOf(activations: ReadonlySet<DeckState>, isProposed: boolean): DeckState {
  if (activations.has("active")) return "active";
  if (activations.has("scheduled")) return "scheduled";
  if (isProposed) return "proposed";
  return activations.has("past") ? "past" : "stored";
}

export interface DeckStarts {
  /** The deck that calls are sold by; null if none is active. */
  readonly active: DeckStart | null;
  /** Whether it is a deck of the operator's own. */
  readonly own: boolean;
  /** Of any deck, also of a trunk's costs; null if none is planned. */
  readonly next: DeckStart | null;
}

/** The active selling deck, and the next deck that takes effect. */
export async function readDeckStarts({ handle, clock }: Pick<Context, "handle" | "clock">): Promise<DeckStarts> {
  const now = clock.now();
  const current = (await readActivations(handle.db, null)).find((one) => one.effective_at <= now);
  const active = current === undefined ? null : { ...current, effectiveAt: current.effective_at };
  return {
    active,
    own: active !== null && active.source !== SAMPLE_SOURCE,
    next: await findNextStart(handle.db, now),
  };
}
