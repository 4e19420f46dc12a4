import { useTranslation } from "react-i18next";
import { IconSearch } from "@tabler/icons-react";
import type { InputHTMLAttributes } from "react";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as ratesPageStyles from "./rates-page.module.css";

interface CountrySearchFormProps {
  /** The page that shows the matches. */
  readonly action: string;
  readonly search: string;
  /** Whether `filterCountries` also filters the page while the reader types. */
  readonly isLive?: boolean;
  /** Names and values sent along with the search. */
  readonly hiddenFields?: Readonly<Record<string, string>>;
}

/** The search field of a public page's list of countries. It works without scripts. */
export function CountrySearchForm({ action, search, isLive = false, hiddenFields = {} }: CountrySearchFormProps) {
  return (
    <form
      className={classNames(fieldStyles.adorn, ratesPageStyles.field)}
      role="search"
      action={action}
      data-country-search={isLive ? "" : undefined}
    >
      <CountrySearchInput name="q" defaultValue={search} />
      {Object.entries(hiddenFields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}

interface CountrySearchFieldProps {
  readonly text: string;
  /** The number of cards shown; announced during a search. */
  readonly found: number;
  readonly onSearch: (text: string) => void;
}

/** The search field above the country cards of the signed-in rates page. */
export function CountrySearchField({ text, found, onSearch }: CountrySearchFieldProps) {
  const { t } = useTranslation("rates");
  return (
    <div className={classNames(fieldStyles.adorn, ratesPageStyles.field)}>
      <CountrySearchInput autoComplete="off" value={text} onChange={(event) => onSearch(event.target.value)} />
      <p className="sr-only" role="status">
        {text === "" ? "" : t("all.found", { count: found })}
      </p>
    </div>
  );
}

/** The icon, name and input of a search of countries. Its parent has `fieldStyles.adorn`. */
function CountrySearchInput(props: InputHTMLAttributes<HTMLInputElement>) {
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
        autoComplete="off"
        maxLength={60}
        placeholder={t("all.search")}
        {...props}
      />
    </>
  );
}
