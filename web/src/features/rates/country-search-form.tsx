import { classNames } from "../../ui/class-names.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";
import { CountrySearchInput } from "./country-search-input.tsx";
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
