import type { NumberAlternative } from "@farline/contract/errors.ts";
import { useTranslation } from "react-i18next";
import { countryName } from "../../text/country-name.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { NumberQuestion } from "./number-question.tsx";

interface FormNumberQuestionProps {
  readonly form: {
    readonly question: { readonly choices: readonly NumberAlternative[] } | null;
    readonly chooseNumber: (number: string) => void;
  };
}

/** The service's question which number a field of the form means; nothing without one. The answer fills the field. */
export function FormNumberQuestion({ form: { question, chooseNumber } }: FormNumberQuestionProps) {
  const { t } = useTranslation("common");
  const write = usePhoneText();
  if (question === null) return null;
  const { choices } = question;
  return (
    <NumberQuestion
      question={t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this")}
      choices={choices.map(({ number, country_code, country_name }) => ({
        e164: number,
        text: write(number),
        country: countryName(country_code, country_name),
      }))}
      onChoose={chooseNumber}
    />
  );
}
