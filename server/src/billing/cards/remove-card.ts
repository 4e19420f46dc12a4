import type Stripe from "stripe";
import { AppError } from "../../platform/app-error.ts";
import { lockPaymentsOf } from "../record/payment.store.ts";
import { switchOff } from "./auto-top-up.store.ts";
import {
  cardsToDetach,
  changeExpiry,
  findCard,
  findCardByMethod,
  markDetached,
  markRemoved,
  removeAllCards,
  type SavedCardRow,
} from "./saved-card.store.ts";
import type { Context } from "../../context.ts";
import type { EndElsewhere } from "../../accounts/accounts.ts";
import { isMissing } from "../record/provider-refusals.ts";
import { expireCardSetups } from "./card-setup.store.ts";

const MAX_PER_RUN = 50;

/**
 * Removes a card and switches off an automatic top-up that used it. Detaches it at the provider immediately, or by a job if the
 * provider is unreachable.
 * @throws AppError not_found, also for another customer's card
 */
export async function removeCard(ctx: Context, customerId: string, cardId: string): Promise<void> {
  const now = ctx.clock.now();
  const card = await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    const found = await findCard(tx, customerId, cardId);
    if (found === undefined) throw new AppError("not_found", { reason: "card_unknown" });
    await markRemoved(tx, cardId, { removed: now });
    await switchOff(tx, { customerId, cardId, now });
    return found;
  });
  ctx.live.publish(customerId, { type: "payment", id: cardId });
  await detach(ctx, card);
}

/** Job: detaches cards that were removed while the provider was unreachable. */
export async function detachCards(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const card of await cardsToDetach(ctx.handle.db, MAX_PER_RUN)) {
    if (signal.aborted) return;
    await detach(ctx, card);
  }
}

async function detach(ctx: Context, card: SavedCardRow): Promise<void> {
  try {
    await detachAtProvider(ctx.stripe, card.payment_method_id);
    await markDetached(ctx.handle.db, card.id, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ err: error, card: card.id }, "card not detached yet");
  }
}

/** Does nothing if the provider no longer has the card. */
async function detachAtProvider({ paymentMethods }: Stripe, id: string): Promise<void> {
  try {
    const { customer } = await paymentMethods.retrieve(id);
    if (customer !== null) await paymentMethods.detach(id);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Handles a provider event: a card's expiry has changed, or the card was removed. */
export async function refreshCard(ctx: Context, paymentMethodId: string): Promise<void> {
  const { db } = ctx.handle;
  const known = await findCardByMethod(db, paymentMethodId);
  if (known === undefined || known.removed_at !== null) return;
  const method: Stripe.PaymentMethod = await ctx.stripe.paymentMethods.retrieve(paymentMethodId);
  const now = ctx.clock.now();
  const { customer_id: customerId } = known;
  if (method.customer === null)
    await ctx.transaction(async (tx) => {
      await lockPaymentsOf(tx, customerId);
      await markRemoved(tx, known.id, { removed: now, detached: now });
      await switchOff(tx, { customerId, cardId: known.id, now });
    });
  else if (method.card !== undefined)
    await changeExpiry(db, known.id, { month: method.card.exp_month, year: method.card.exp_year });
  ctx.live.publish(customerId, { type: "payment", id: known.id });
}

/**
 * Switches off automatic top-up until the owner agrees again, and removes all cards of an account whose owner was never verified,
 * because they may be a stranger's. (A job detaches them at the provider.) Takes no billing locks, because their order is the
 * opposite. Setups are expired first, so that a card saved concurrently is either removed or never saved.
 */
export const endCardAccess: EndElsewhere = async (tx, { customerId, firstProof, at }) => {
  const wasOn = await switchOff(tx, { customerId, now: at });
  if (!firstProof) return wasOn ? ["auto_top_up"] : [];
  await expireCardSetups(tx, customerId);
  const cards = await removeAllCards(tx, customerId, at);
  return [...(wasOn ? ["auto_top_up" as const] : []), ...(cards > 0 ? ["saved_cards" as const] : [])];
};
