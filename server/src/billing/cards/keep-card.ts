import type Stripe from "stripe";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../../platform/database/database.ts";
import { moveToCard } from "./auto-top-up.store.ts";
import { cardsOf, findCardByMethod, insertCard, markRemoved } from "./saved-card.store.ts";
import type { Context } from "../../context.ts";

/**
 * Stores a card that the provider saved for the customer, once. Replaces an earlier copy of the same card, also in the automatic
 * top-up, which stays on, off or stopped. Requires the customer's lock.
 * @param saved.authenticated confirmed with 3-D Secure
 * @returns the card's id; null if it was removed or is not a card
 */
export async function keepCard(
  tx: Tx,
  ctx: Context,
  saved: { customerId: string; method: Stripe.PaymentMethod; authenticated: boolean },
): Promise<string | null> {
  const { customerId, method, authenticated } = saved;
  const known = await findCardByMethod(tx, method.id);
  if (known !== undefined) return known.removed_at === null ? known.id : null;
  const { card } = method;
  if (card === undefined) return null;
  const now = ctx.clock.now();
  const fingerprint = card.fingerprint ?? null;
  const before = (await cardsOf(tx, customerId)).find((one) => one.fingerprint !== null && one.fingerprint === fingerprint);
  if (before !== undefined) await markRemoved(tx, before.id, { removed: now });
  const id = uuidv7();
  await insertCard(tx, {
    id,
    customer_id: customerId,
    payment_method_id: method.id,
    brand: card.brand,
    last4: card.last4 ?? "0000",
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    fingerprint,
    authenticated,
    created_at: now,
  });
  if (before !== undefined) await moveToCard(tx, { customerId, from: before.id, to: id });
  ctx.log.info({ customer: customerId, card: id }, "card saved");
  return id;
}
