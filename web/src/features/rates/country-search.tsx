import { IconSearch } from "@tabler/icons-react";
import type { ChangeEvent } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as ratesPageStyles from "./rates-page.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

interface SearchFieldProps {
  readonly text: string;
  /** The number of cards shown; announced during a search. */
  readonly found: number;
  readonly onSearch: (text: string) => void;
}

/** The search field above the country cards. */
export function CountrySearchField({ text, found, onSearch }: SearchFieldProps) {
  const { t } = useTranslation("rates");
  return (
    <div className={classNames(fieldStyles.adorn, ratesPageStyles.field)}>
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
        value={text}
        onChange={(event: ChangeEvent<HTMLInputElement>) => onSearch(event.target.value)}
      />
      <p className="sr-only" role="status">
        {text === "" ? "" : t("all.found", { count: found })}
      </p>
    </div>
  );
}
