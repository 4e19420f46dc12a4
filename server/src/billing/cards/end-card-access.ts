import type { EndElsewhere } from "../../accounts/accounts.ts";
import { switchOff } from "./auto-top-up.store.ts";
import { expireCardSetups } from "./card-setup.store.ts";
import { removeAllCards } from "./saved-card.store.ts";

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
