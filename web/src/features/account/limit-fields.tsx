import { countries, countryByCode } from "@farline/domain/countries/countries.ts";
import { dollarsToSend } from "@farline/domain/typed/typed-dollars.ts";
import { IconAlertCircle, IconX } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as styles from "./account.module.css";
import { countryName } from "../../text/i18n.ts";

interface CountryChoice {
  /** ISO codes; null for all countries. */
  readonly countries: readonly string[] | null;
  readonly isMissing: boolean;
  choose(countries: string[] | null): void;
  /** True if the choice can be sent; otherwise shows why not. */
  check(): boolean;
}

/** The countries that a limit allows, while its form is being edited. */
export function useCountryChoice(initial: readonly string[] | null) {
  const [chosen, setChosen] = useState(initial === null ? null : [...initial]);
  const [isMissing, setMissing] = useState(false);
  return {
    countries: chosen,
    isMissing,
    choose(next: string[] | null) {
      setChosen(next);
      setMissing(false);
    },
    check() {
      const isEmpty = chosen?.length === 0;
      setMissing(isEmpty);
      return !isEmpty;
    },
  } satisfies CountryChoice & { countries: string[] | null };
}

/** All countries, or an editable list. */
export function CountryChoiceFields({ choice, legend }: { readonly choice: CountryChoice; readonly legend: string }) {
  const { t } = useTranslation("account");
  const name = useId();
  const errorId = useId();
  const chosen = choice.countries;
  return (
    <fieldset className={styles.countries} aria-describedby={choice.isMissing ? errorId : undefined}>
      <legend>{legend}</legend>
      <label className={styles.choice}>
        <input type="radio" name={name} checked={chosen === null} onChange={() => choice.choose(null)} />
        <span>{t("limits.allCountries")}</span>
      </label>
      <label className={styles.choice}>
        <input type="radio" name={name} checked={chosen !== null} onChange={() => choice.choose([])} />
        <span>{t("limits.onlyThese")}</span>
      </label>
      {chosen !== null && <ChosenCountries chosen={chosen} onChange={choice.choose} />}
      {choice.isMissing && (
        <p className={fieldStyles.error} id={errorId} role="alert">
          <Icon of={IconAlertCircle} />
          <span>{t("limits.noCountry")}</span>
        </p>
      )}
    </fieldset>
  );
}

function ChosenCountries({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (codes: string[]) => void;
}) {
  const { t, i18n } = useTranslation("account");
  const select = useRef<HTMLSelectElement>(null);
  const { compare } = new Intl.Collator(i18n.language);
  const named = (codes: readonly string[]) =>
    codes
      .map((iso2) => ({ iso2, name: countryName(iso2, countryByCode(iso2)?.name ?? iso2) }))
      .toSorted((a, b) => compare(a.name, b.name));
  const others = named(countries.filter(({ iso2, selectable }) => selectable && !chosen.includes(iso2)).map(({ iso2 }) => iso2));
  return (
    <div className={styles.chosenCountries}>
      <ul>
        {named(chosen).map(({ iso2: code, name }) => (
          <li key={code}>
            <span>{name}</span>
            <button
              type="button"
              aria-label={t("limits.removeCountry", { country: name })}
              onClick={() => {
                onChange(chosen.filter((one) => one !== code));
                // The focused button was removed.
                select.current?.focus();
              }}
            >
              <Icon of={IconX} />
            </button>
          </li>
        ))}
      </ul>
      <select
        ref={select}
        className={fieldStyles.select}
        aria-label={t("limits.addCountry")}
        value=""
        onChange={(event) => onChange([...chosen, event.target.value])}
      >
        <option value="" disabled>
          {t("limits.addCountry")}
        </option>
        {others.map(({ iso2, name }) => (
          <option key={iso2} value={iso2}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The typed limit as a request contains it; null for no limit. */
export function typedLimit(typed: string): string | null {
  return typed.trim() === "" ? null : dollarsToSend(typed);
}
