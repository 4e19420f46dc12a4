import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { changeLanguage, currentLanguage } from "../../text/i18n.ts";
import { languages, writing } from "@farline/domain/languages.ts";
import { isLanguage } from "../../text/language.ts";
import { storeLanguage } from "../../service/queries.ts";
import { getToken } from "../../session/session.ts";
import { chooseTheme, isTheme, rememberedTheme, themes } from "../../browser/theme.ts";
import { toast } from "../../ui/messages/toast.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./preferences.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

/** The app's language and theme, for visitors and signed-in users. */
export function Preferences({ belowPage = false }: { readonly belowPage?: boolean }) {
  return (
    <div className={classNames(styles.prefs, belowPage && styles.belowPage)}>
      <LanguageChoice />
      <ThemeChoice />
    </div>
  );
}

/** Each language is listed in its own name, for users who cannot read the current one. */
function LanguageChoice() {
  const { t } = useTranslation();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const choose = async (value: string): Promise<void> => {
    if (!isLanguage(value)) return;
    setBusy(true);
    try {
      await changeLanguage(value);
      // For the mails. The page changes its language whether or not the request succeeds.
      if (getToken() !== null) storeLanguage(value).catch(() => undefined);
    } catch {
      toast.error(t("language.failure", { language: writing[value].name }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.one}>
      <label htmlFor={id}>{t("language.label")}</label>
      <select
        id={id}
        className={classNames(fieldStyles.select, styles.select)}
        value={currentLanguage()}
        aria-busy={busy || undefined}
        onChange={(event) => void choose(event.target.value)}
      >
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {writing[language].name}
          </option>
        ))}
      </select>
    </div>
  );
}

function ThemeChoice() {
  const { t } = useTranslation();
  const id = useId();
  const [theme, setTheme] = useState(rememberedTheme);
  const choose = (value: string): void => {
    if (!isTheme(value)) return;
    setTheme(value);
    chooseTheme(value);
  };
  return (
    <div className={styles.one}>
      <label htmlFor={id}>{t("theme.label")}</label>
      <select
        id={id}
        className={classNames(fieldStyles.select, styles.select)}
        value={theme}
        onChange={(event) => choose(event.target.value)}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {t(`theme.${one}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
