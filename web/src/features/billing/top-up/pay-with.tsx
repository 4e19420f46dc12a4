import type { SavedCard } from "@farline/contract/auto-top-up.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { autoTopUpQuery, cardText } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { classNames } from "../../../ui/class-names.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as billingStyles from "../billing.module.css";
import * as styles from "./top-up.module.css";

/** Chooses the card that pays: a saved one, or another, which can be saved. */
export function PayWith({ choice }: { readonly choice: CardChoice }) {
  const { t } = useTranslation("billing");
  const { cards, chosen, choose } = choice;
  return (
    <>
      {cards.length > 0 && (
        <fieldset className={styles.payWith}>
          <legend className={classNames(styles.legend, "t-sub")}>{t("payWith.legend")}</legend>
          {cards.map((card) => (
            <Way key={card.id} value={card.id} checked={chosen?.id === card.id} onChoose={() => choose(card)}>
              <b>{cardText(card)}</b>
            </Way>
          ))}
          <Way value="" checked={chosen === null} onChoose={() => choose(null)}>
            <b>{t("payWith.newWay")}</b>
            <span className={fieldStyles.hint}>{t("payWith.newWayHint")}</span>
          </Way>
        </fieldset>
      )}
      {choice.mayKeep && <Keep choice={choice} />}
    </>
  );
}

interface WayProps {
  readonly value: SavedCard["id"];
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Way({ value, checked, onChoose, children }: WayProps) {
  return (
    <label className={styles.way}>
      <input type="radio" name="card" value={value} checked={checked} onChange={onChoose} />
      <span className={styles.wayCard}>{children}</span>
    </label>
  );
}

function Keep({ choice: { keep, setKeep } }: { readonly choice: CardChoice }) {
  const { t } = useTranslation("billing");
  const id = useId();
  return (
    <div className={styles.keep}>
      <label className={billingStyles.consent}>
        <input type="checkbox" checked={keep} aria-describedby={id} onChange={(event) => setKeep(event.target.checked)} />
        <span>{t("payWith.keep")}</span>
      </label>
      <p className={fieldStyles.hint} id={id}>
        {t("payWith.keepText")}
      </p>
    </div>
  );
}

interface CardChoice {
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
