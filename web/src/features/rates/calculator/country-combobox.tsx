import { IconX } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import type { CalculatorCountry } from "./calculator-state.ts";
import { type CountryLibrary, countryLibrary, useLibrary } from "../../../text/libraries.ts";
import { searchCountries } from "../find-countries.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "./calculator.module.css";
import * as buttonStyles from "../../../ui/button.module.css";

interface CountryComboboxProps {
  readonly countries: readonly CalculatorCountry[];
  readonly search: string;
  readonly chosen: CalculatorCountry | null;
  readonly onSearch: (text: string) => void;
  readonly onChoose: (country: CalculatorCountry) => void;
}

const INPUT = "calc-country";
const LIST = "calc-country-list";
const MAX_MATCHES = 10;
const codeOf = ({ code }: CalculatorCountry): string => code;
const optionId = (code: string) => `${LIST}-${code}`;

/** A search field for countries: type, then select with the arrow keys or a press. */
export function CountryCombobox({ countries, search, chosen, onSearch, onChoose }: CountryComboboxProps) {
  const { t, i18n } = useTranslation("rates");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const lookUp = useLibrary(countryLibrary, open);
  // The chosen country's name is not a search term: show the whole list.
  const typed = search === chosen?.name ? "" : search;
  const find = (library: CountryLibrary) => searchCountries(countries, { typed, language: i18n.language, codeOf }, library);
  const found = lookUp !== null ? find(lookUp) : typed === "" ? countries : [];
  const matches = open ? found.slice(0, MAX_MATCHES) : [];
  const isMissing = open && lookUp !== null && matches.length === 0;
  const current = matches[active];
  const choose = (country: CalculatorCountry) => {
    onChoose(country);
    setOpen(false);
  };
  /** Enter came before the look-up. */
  const chooseOnceLoaded = async () => {
    const [first] = find(await countryLibrary.load());
    if (first !== undefined) choose(first);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return setOpen(false);
    if (event.key === "Enter") {
      event.preventDefault();
      if (current !== undefined) choose(current);
      else if (lookUp === null) chooseOnceLoaded().catch(() => undefined);
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setOpen(true);
    if (open && matches.length > 0) setActive((active + step + matches.length) % matches.length);
  };
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={INPUT}>{t("calculator.country")}</label>
      <div className={classNames(fieldStyles.adorn, styles.country)}>
        {chosen !== null && <Flag code={chosen.code} />}
        <input
          ref={input}
          className={chosen === null ? fieldStyles.input : classNames(fieldStyles.input, styles.chosen)}
          id={INPUT}
          role="combobox"
          aria-expanded={open && matches.length > 0}
          aria-controls={LIST}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : optionId(current.code)}
          autoComplete="off"
          maxLength={60}
          placeholder={t("calculator.countryPlaceholder")}
          value={search}
          onChange={(event) => {
            onSearch(event.target.value);
            setActive(0);
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {search !== "" && (
          <button
            className={classNames(buttonStyles.btn, buttonStyles.icon, fieldStyles.button)}
            type="button"
            aria-label={t("calculator.clear")}
            onClick={() => {
              onSearch("");
              input.current?.focus();
            }}
          >
            <Icon of={IconX} />
          </button>
        )}
        <div
          className={styles.listbox}
          id={LIST}
          role="listbox"
          aria-label={t("calculator.matches")}
          hidden={matches.length === 0}
        >
          {matches.map((country, index) => (
            <div
              key={country.code}
              id={optionId(country.code)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={index === active ? styles.isActive : undefined}
              onMouseDown={(event) => event.preventDefault()}
              onMouseUp={() => choose(country)}
              onMouseMove={() => setActive(index)}
            >
              <Flag code={country.code} />
              <span>{country.name}</span>
            </div>
          ))}
        </div>
        <p className={isMissing ? classNames(fieldStyles.hint, styles.nothing) : "sr-only"} role="status">
          {isMissing ? t("calculator.noMatches") : ""}
        </p>
      </div>
    </div>
  );
}
