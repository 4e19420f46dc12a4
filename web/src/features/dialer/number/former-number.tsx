import { countryByCode } from "@farline/domain/countries/countries.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import { countryName } from "../../../text/i18n.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { NumberQuestion } from "../../../ui/forms/number-question.tsx";
import type { NumberEntry } from "./use-number-entry.ts";

interface FormerNumberProps {
  readonly entry: NumberEntry;
  /** Shown for a number that is in no former plan either. */
  readonly children: ReactNode;
}

/** Says that a number is from a former plan, and offers today's where it is known. Former plans are a table of their own. */
export default function FormerNumber({ entry, children }: FormerNumberProps) {
  const { t } = useTranslation(["dialer-parts", "common"]);
  const number = normalizeNumber(entry.text, entry.countryCode);
  if (number.ok || number.problem !== "renumbered") return children;
  const nameOf = (code: string): string => countryName(code, countryByCode(code)?.name ?? code);
  const { countryCode, year } = number.renumbering;
  const text = t("former", { country: nameOf(countryCode), year: String(year) });
  if (number.choices.length === 0)
    return (
      <p className={fieldStyles.error} role="alert">
        {text}
      </p>
    );
  return (
    <NumberQuestion
      question={`${text} ${t("common:numberQuestion.this")}`}
      choices={number.choices.map((choice) => ({
        e164: choice.e164,
        text: writeNumber(choice.e164),
        country: nameOf(choice.countryCode),
      }))}
      onChoose={(e164) => entry.enter({ number: e164 + (entry.extension.text ?? "") })}
    />
  );
}
