import { useTranslation } from "react-i18next";
import { classNames } from "../../ui/class-names.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";
import { CountrySearchInput } from "./country-search-input.tsx";
import * as ratesPageStyles from "./rates-page.module.css";

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
