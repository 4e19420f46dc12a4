import type { EndElsewhere } from "../../accounts/accounts.ts";
import { switchOff } from "./auto-top-up.store.ts";
import { expireCardSetups } from "./card-setup.store.ts";
import { removeAllCards } from "./saved-card.store.ts";

/**
 * No card pays by itself before the owner agrees again. Cards of an account that nobody had proved are a stranger's; the
 * provider is told by the job that detaches cards. It waits for no billing turn, which takes locks in the other order: visits
 * end first, so that a card saved at this moment is removed or never saved.
 */
export const endCardAccess: EndElsewhere = async (tx, { customerId, firstProof, at }) => {
  const wasOn = await switchOff(tx, { customerId, now: at });
  if (!firstProof) return wasOn ? ["auto_top_up"] : [];
  await expireCardSetups(tx, customerId);
  const cards = await removeAllCards(tx, customerId, at);
  return [...(wasOn ? ["auto_top_up" as const] : []), ...(cards > 0 ? ["saved_cards" as const] : [])];
};
