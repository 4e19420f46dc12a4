import { type ComponentProps, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { countries } from "@farline/domain/countries/countries.ts";
import { currentLanguage, countryName } from "../../text/i18n.ts";
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

/** Countries that can be called, named and sorted in the reader's language. @param language BCP 47 */
function countryOptions(language: string): { iso2: string; name: string; dialCode: string }[] {
  const collator = new Intl.Collator(language);
  return countries
    .filter((country) => country.selectable)
    .map(({ iso2, name, dialCode }) => ({ iso2, dialCode, name: countryName(iso2, name) }))
    .toSorted((a, b) => collator.compare(a.name, b.name));
}
