import { IconSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as ratesPageStyles from "./rates-page.module.css";

interface CountrySearchFormProps {
  /** The page that shows the matches. */
  readonly action: string;
  readonly search: string;
  /** Whether `filterCountries` also filters the page while the reader types. */
  readonly isLive?: boolean;
  /** Sent along with the search. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** The search field of a public page's list of countries. It works without scripts. */
export function CountrySearchForm({ action, search, isLive = false, kept = {} }: CountrySearchFormProps) {
  const { t } = useTranslation("rates");
  return (
    <form
      className={classNames(fieldStyles.adorn, ratesPageStyles.field)}
      role="search"
      action={action}
      data-country-search={isLive ? "" : undefined}
    >
      <Icon of={IconSearch} />
      <label className="sr-only" htmlFor="country-search">
        {t("all.search")}
      </label>
      <input
        className={fieldStyles.input}
        id="country-search"
        name="q"
        type="search"
        maxLength={60}
        placeholder={t("all.search")}
        defaultValue={search}
      />
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}
