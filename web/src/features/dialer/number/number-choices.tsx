import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { NumberChoice } from "@farline/domain/numbers/phone-number.ts";
import { useTranslation } from "react-i18next";
import { countryName } from "../../../text/country-name.ts";
import { NumberQuestion } from "../../../ui/forms/number-question.tsx";
import { useNumberText } from "./use-dial-library.ts";
import type { NumberEntry } from "./use-number-entry.ts";

interface NumberChoicesProps {
  readonly entry: NumberEntry;
  readonly choices: readonly NumberChoice[];
}

/** Asks which number the ambiguous digits mean. The chosen number replaces them, in international format. */
export function NumberChoices({ entry, choices }: NumberChoicesProps) {
  const { t } = useTranslation("common");
  const write = useNumberText();
  return (
    <NumberQuestion
      question={t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this")}
      choices={choices.map(({ e164, countryCode }) => ({
        e164,
        text: write(e164),
        country: countryName(countryCode, countryByCode(countryCode)?.name ?? countryCode),
      }))}
      onChoose={(e164) => entry.enter({ number: e164 + (entry.extension.text ?? "") })}
    />
  );
}
