import type { FamilyChoices } from "@farline/contract/family/family.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import * as styles from "../account.module.css";

interface ChoiceFieldsProps {
  readonly owner: string;
  readonly choices: FamilyChoices;
  readonly onChange: (choices: FamilyChoices) => void;
}

/** Whose credit pays for the member's calls, and whether the owner sees the numbers. */
export function ChoiceFields({ owner, choices, onChange }: ChoiceFieldsProps) {
  const { t } = useTranslation("account");
  const name = useId();
  return (
    <>
      <fieldset className={styles.countries}>
        <legend>{t("family.whoPays")}</legend>
        {[true, false].map((pays) => (
          <label key={String(pays)} className={styles.choice}>
            <input
              type="radio"
              name={name}
              checked={choices.owner_pays === pays}
              onChange={() => onChange({ ...choices, owner_pays: pays })}
            />
            <span>{pays ? t("family.ownerPays", { owner }) : t("family.ownPays")}</span>
          </label>
        ))}
      </fieldset>
      <p className="muted small">{t("family.oneCredit")}</p>
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={choices.shows_numbers}
          onChange={(event) => onChange({ ...choices, shows_numbers: event.target.checked })}
        />
        <span>{t("family.showNumbers", { owner })}</span>
      </label>
      <p className="muted small">{t("family.ownerSees", { owner })}</p>
    </>
  );
}
