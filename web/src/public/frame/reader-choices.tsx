import type { Language } from "@farline/contract/languages.ts";
import { useTranslation } from "react-i18next";
import { languages, writing } from "@farline/domain/languages.ts";
import { chooseAppearance, textSize } from "../../browser/appearance.ts";
import { isLanguage, rememberLanguage } from "../../text/language.ts";
import * as styles from "./footer.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

interface ReaderChoicesProps {
  readonly language: Language;
  readonly size: string | null;
}

/** Language and text size, for the public pages and the app. */
export function ReaderChoices({ language, size }: ReaderChoicesProps) {
  return (
    <div className={styles.choices}>
      <LanguageChoice language={language} />
      <TextSizeChoice size={size} />
    </div>
  );
}

/** Chooses the language, listed in its own name. The service then renders the page again. */
function LanguageChoice({ language }: { readonly language: Language }) {
  const { t } = useTranslation("public");
  const choose = (value: string): void => {
    if (!isLanguage(value)) return;
    rememberLanguage(value);
    window.location.reload();
  };
  return (
    <div className={fieldStyles.field}>
      <label htmlFor="page-language">{t("language")}</label>
      <select
        id="page-language"
        className={fieldStyles.select}
        defaultValue={language}
        autoComplete="off"
        onChange={(event) => choose(event.target.value)}
      >
        {languages.map((one) => (
          <option key={one} value={one} lang={one}>
            {writing[one].name}
          </option>
        ))}
      </select>
    </div>
  );
}

function TextSizeChoice({ size }: { readonly size: string | null }) {
  const { t } = useTranslation("common");
  return (
    <div className={fieldStyles.field}>
      <label htmlFor="text-size">{t("textSize.label")}</label>
      <select
        id="text-size"
        className={fieldStyles.select}
        defaultValue={size ?? undefined}
        autoComplete="off"
        onChange={(event) => chooseAppearance(textSize, event.target.value)}
      >
        {textSize.values.map((one) => (
          <option key={one} value={one}>
            {t(`textSize.${one}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
