import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { changeLanguage } from "../../text/i18n.ts";
import { languages, writing } from "@farline/domain/languages.ts";
import { isLanguage } from "../../text/language.ts";
import { changeUser } from "../../service/queries.ts";
import { getToken } from "../../session/session.ts";
import { type Appearance, chooseAppearance, remembered, textSize, theme } from "../../browser/appearance.ts";
import { useShell } from "../../browser/page-hooks.ts";
import { toast } from "../../ui/messages/toast.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./frame.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

/** The app's language, theme and text size, for visitors and signed-in users. */
export function Preferences({ belowPage = false }: { readonly belowPage?: boolean }) {
  const { t } = useTranslation();
  return (
    <div className={classNames(styles.prefs, belowPage && styles.belowPage)} inert={useShell()}>
      <LanguageChoice />
      <AppearanceChoice of={theme} label={t("theme.label")} nameOf={(one) => t(`theme.${one}`)} />
      <AppearanceChoice of={textSize} label={t("textSize.label")} nameOf={(one) => t(`textSize.${one}`)} />
    </div>
  );
}

/** Each language is listed in its own name, for users who cannot read the current one. */
function LanguageChoice() {
  const { t, i18n } = useTranslation();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const choose = async (value: string): Promise<void> => {
    if (!isLanguage(value)) return;
    setBusy(true);
    try {
      await changeLanguage(value);
      // For the mails. The page changes its language whether or not the request succeeds.
      if (getToken() !== null) changeUser({ language: value }).catch(() => undefined);
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
        value={i18n.language}
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

interface AppearanceChoiceProps<Value extends string> {
  readonly of: Appearance<Value>;
  readonly label: string;
  readonly nameOf: (value: Value) => string;
}

function AppearanceChoice<Value extends string>({ of, label, nameOf }: AppearanceChoiceProps<Value>) {
  const id = useId();
  const [value, setValue] = useState<string>(() => remembered(of));
  return (
    <div className={styles.one}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={classNames(fieldStyles.select, styles.select)}
        value={value}
        onChange={(event) => {
          setValue(event.target.value);
          chooseAppearance(of, event.target.value);
        }}
      >
        {of.values.map((one) => (
          <option key={one} value={one}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </div>
  );
}
