import type { SavedCard } from "@farline/contract/auto-top-up.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { autoTopUpQuery } from "../auto-top-up/auto-top-up-queries.ts";

export interface CardChoice {
  /** Saved cards that can pay, newest first. */
  readonly cards: readonly SavedCard[];
  /** Null: a card that is not saved. */
  readonly chosen: SavedCard | null;
  choose(card: SavedCard | null): void;
  /** Whether another card can be saved. */
  readonly mayKeep: boolean;
  readonly keep: boolean;
  setKeep(keep: boolean): void;
  /** How the order describes the card. */
  readonly sent: { readonly card_id?: string; readonly keep_card?: true };
}

/** The card to charge. Defaults to a new card while saved cards are loading or unavailable. */
export function useCardChoice(): CardChoice {
  const { data } = useQuery(autoTopUpQuery);
  const [picked, setPicked] = useState<string | null>();
  const [wantsKeep, setKeep] = useState(false);
  const cards = (data?.cards ?? []).filter((card) => !card.expired);
  // No selection, or the card was removed: use the newest.
  const chosen = picked === null ? null : (cards.find((card) => card.id === picked) ?? cards[0] ?? null);
  const mayKeep = data !== undefined && chosen === null && data.cards.length < data.bounds.cards;
  const keep = mayKeep && wantsKeep;
  return {
    cards,
    chosen,
    choose: (card) => setPicked(card?.id ?? null),
    mayKeep,
    keep,
    setKeep,
    sent: chosen === null ? (keep ? { keep_card: true } : {}) : { card_id: chosen.id },
  };
}
