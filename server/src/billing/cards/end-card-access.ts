import type { EndElsewhere } from "../../accounts/accounts.ts";
import { switchOff } from "./auto-top-up.store.ts";
import { expireCardSetups } from "./card-setup.store.ts";
import { removeAllCards } from "./saved-card.store.ts";

/**
 * No card pays automatically before the owner agrees again. Cards of a never-proved account may be a stranger's; the
 * job that detaches cards tells the provider. It takes no billing lock, whose order is the opposite: visits
 * end first, so that a card saved at this moment is removed or never saved.
 */
export const endCardAccess: EndElsewhere = async (tx, { customerId, firstProof, at }) => {
  const wasOn = await switchOff(tx, { customerId, now: at });
  if (!firstProof) return wasOn ? ["auto_top_up"] : [];
  await expireCardSetups(tx, customerId);
  const cards = await removeAllCards(tx, customerId, at);
  return [...(wasOn ? ["auto_top_up" as const] : []), ...(cards > 0 ? ["saved_cards" as const] : [])];
};
