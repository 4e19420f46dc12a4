import { IconSearch } from "@tabler/icons-react";
import type { InputHTMLAttributes } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import * as fieldStyles from "../../ui/forms/field.module.css";

/** The icon, name and input of a search of countries. Its parent has `fieldStyles.adorn`. */
export function CountrySearchInput(props: InputHTMLAttributes<HTMLInputElement>) {
  const { t } = useTranslation("rates");
  return (
    <>
      <Icon of={IconSearch} />
      <label className="sr-only" htmlFor="country-search">
        {t("all.search")}
      </label>
      <input
        className={fieldStyles.input}
        id="country-search"
        type="search"
        maxLength={60}
        placeholder={t("all.search")}
        {...props}
      />
    </>
  );
}
