import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { NumberChoice } from "@farline/domain/numbers/number-plans.ts";
import { useTranslation } from "react-i18next";
import { countryName } from "../../../text/i18n.ts";
import { NumberQuestion } from "../../../ui/forms/number-question.tsx";
import { writeNumber } from "../../../text/phone-text.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import * as styles from "../../../ui/card.module.css";

interface NumberChoicesProps {
  readonly entry: NumberEntry;
  readonly choices: readonly NumberChoice[];
  /** What is said of a number of a former plan. */
  readonly about: string | null;
}

/** Asks which number the digits mean. The chosen number replaces them, in international format. */
export default function NumberChoices({ entry, choices, about }: NumberChoicesProps) {
  const { t } = useTranslation("common");
  const ask = t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this");
  return (
    <div className={styles.card}>
      <NumberQuestion
        question={about === null ? ask : `${about} ${ask}`}
        choices={choices.map(({ e164, countryCode }) => ({
          e164,
          text: writeNumber(e164),
          country: countryName(countryCode, countryByCode(countryCode)?.name ?? countryCode),
        }))}
        onChoose={(e164) => entry.enter({ number: e164 + (entry.extension.text ?? "") })}
      />
    </div>
  );
}
