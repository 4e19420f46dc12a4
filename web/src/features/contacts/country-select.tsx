import { type ComponentProps, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../../text/i18n.ts";
import { countryOptions } from "./country-options.ts";
import { SelectField } from "../../ui/forms/form-fields.tsx";

/** Chooses the country of numbers without a country code; "" is none. */
export function CountrySelect(props: Omit<ComponentProps<typeof SelectField>, "label" | "hint" | "children">) {
  const { t } = useTranslation("contacts");
  const language = currentLanguage();
  const options = useMemo(() => countryOptions(language), [language]);
  return (
    <SelectField {...props} label={t("country.label")} hint={t("country.hint")}>
      <option value="">{t("country.none")}</option>
      {options.map(({ iso2, name, dialCode }) => (
        <option key={iso2} value={iso2}>
          {t("country.option", { name, code: dialCode })}
        </option>
      ))}
    </SelectField>
  );
}
