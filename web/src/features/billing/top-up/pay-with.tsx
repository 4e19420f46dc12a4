import type { SavedCard } from "@farline/contract/auto-top-up.ts";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { cardText } from "./card-text.ts";
import type { CardChoice } from "./use-card-choice.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./top-up.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as billingStyles from "../billing.module.css";

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
