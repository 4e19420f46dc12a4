import type { Language } from "@farline/contract/languages.ts";
import { useTranslation } from "react-i18next";
import { languages, writing } from "@farline/domain/languages.ts";
import { isLanguage, rememberLanguage } from "../../text/language.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";

/** Chooses the language, listed in its own name, for the public pages and the app. The service then renders the page again. */
export function LanguageChoice({ language }: { readonly language: Language }) {
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
