import type { DeckResponse, DecksResponse, DeckState } from "@farline/contract/operator/decks.ts";
import type { Context } from "../context.ts";
import { openApprovals } from "../operator/operator.ts";
import { ACTIVATE_DECK } from "./activate-deck.ts";
import { readActivations, readDecks, type DeckActivation } from "./decks.store.ts";

/** The newest decks, with the state and the activations of each. */
export async function listDecks(ctx: Context): Promise<DecksResponse> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const { decks, total } = await readDecks(db);
  const trunks = [...new Set(decks.map(({ trunk }) => trunk))];
  const byTrunk = await Promise.all(trunks.map((trunk) => readActivations(db, trunk)));
  const current = new Set(byTrunk.map((ofTrunk) => ofTrunk.find((one) => one.effective_at <= now)));
  const stateOf = (one: DeckActivation) =>
    current.has(one) ? ("in_force" as const) : one.effective_at > now ? ("scheduled" as const) : ("past" as const);
  const proposals = (await openApprovals(ctx)).filter(({ action }) => action === ACTIVATE_DECK);
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
      const proposal = proposals.find(({ subject }) => subject === id)?.id ?? null;
      const states = new Set(activations.map(({ state }) => state));
      return {
        id,
        name,
        source,
        trunk,
        prices,
        stored_at: storedAt.toISOString(),
        state: deckStateOf(states, proposal !== null),
        activations,
        proposal,
      };
    }),
  };
}

function deckStateOf(activations: ReadonlySet<DeckState>, isProposed: boolean): DeckState {
  if (activations.has("in_force")) return "in_force";
  if (activations.has("scheduled")) return "scheduled";
  if (isProposed) return "proposed";
  return activations.has("past") ? "past" : "stored";
}
