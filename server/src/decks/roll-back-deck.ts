import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { AppError } from "../platform/app-error.ts";
import { type Plan, CONCERNS_NOBODY } from "../operator/operator.ts";
import type { Transaction } from "../platform/database/database.ts";
import { activate, maySell, type Activated } from "./activate-deck.ts";
import { lockDecks, readActivations, type DeckActivation } from "./decks.store.ts";
import type { OperatorContext } from "../context.ts";

/** The active deck, and the activation that a roll-back returns to. */
interface StepBack {
  readonly from: DeckActivation;
  /** Null if no other deck was active before. */
  readonly to: DeckActivation | null;
}

/**
 * Plans to put the deck before the present one back, by another activation that names the one it returns to: the next roll-back goes
 * further back, never forward.
 * @throws AppError validation_failed if there is no earlier deck; conflict if these are not the active deck and the one before it
 */
export async function planStepBack(
  tx: Transaction,
  ctx: OperatorContext,
  order: OperationInput<"roll-back-deck">,
): Promise<Plan<"roll-back-deck", Activated>> {
  await lockDecks(tx);
  const now = ctx.clock.now();
  const step = stepBack(passed(await readActivations(tx, order.trunk ?? null), now), (one) => maySell(ctx, one));
  const to = step?.to ?? null;
  if (step === null || to === null) throw new AppError("validation_failed", { reason: "operator.deck_none_before" });
  const { from } = step;
  if (from.id !== order.from || to.id !== order.to)
    throw new AppError("conflict", {
      reason: "operator.deck_moved",
      params: { deck: from.name, since: from.effective_at.toISOString(), before: to.name },
    });
  return {
    ...CONCERNS_NOBODY,
    subject: to.id,
    detail: { left: from.name },
    run: async () => {
      const how = { reason: order.reason, at: now, confirmed: false, returnsTo: to.activation };
      const { activated, detail } = await activate(tx, ctx, { deck: to, ...how });
      return { result: activated, detail };
    },
  };
}

/** The activations that have begun. */
export function passed(activations: readonly DeckActivation[], now: Date): DeckActivation[] {
  return activations.filter((one) => one.effective_at <= now);
}

/**
 * The step back from the active deck. A roll-back stands where the activation stands that it returned to, so what lies between the two
 * is never returned to.
 * @param past activations that have begun, the latest first
 * @param isUsable whether calls may be sold by a deck
 */
export function stepBack(past: readonly DeckActivation[], isUsable: (deck: DeckActivation) => boolean): StepBack | null {
  const placeOf = (one: DeckActivation | undefined): number =>
    one === undefined ? -1 : past.findIndex(({ activation }) => activation === (one.returns_to ?? one.activation));
  const [from] = past;
  if (from === undefined) return null;
  for (let place = placeOf(from); place !== -1;) {
    place = placeOf(past[place + 1]);
    const to = past[place];
    if (to !== undefined && to.id !== from.id && isUsable(to)) return { from, to };
  }
  return { from, to: null };
}
