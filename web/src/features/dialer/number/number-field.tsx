import { countries, countryByCode } from "@farline/domain/countries/countries.ts";
import type { Rate } from "@farline/contract/rates.ts";
import { useQuery } from "@tanstack/react-query";
import { IconChevronDown, IconX } from "@tabler/icons-react";
import { type ReactElement, type RefObject, useDeferredValue, useEffect, useId, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useShell } from "../../../browser/page-hooks.ts";
import { currentLanguage, countryName } from "../../../text/i18n.ts";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { useFilledField } from "../../../ui/forms/form.tsx";
import { ratesQuery } from "../dialer-queries.ts";
import { optionId, SUGGESTIONS_ID, type Suggestions } from "./suggestions.tsx";
import type { NumberEntry } from "./use-number-entry.ts";
import * as styles from "../../../ui/dialling/dialling.module.css";
import { useComposedField } from "../../../ui/forms/use-composed-field.ts";
import { classNames } from "../../../ui/class-names.ts";

interface NumberFieldProps {
  readonly entry: NumberEntry;
  readonly input: RefObject<HTMLInputElement | null>;
  /** Id of the error about the number. */
  readonly problemId: string | undefined;
  readonly suggestions: Suggestions;
  readonly onEnter: () => void;
}

/** One field: country, number and extension. */
export function NumberField({ entry, input, problemId, suggestions, onEnter }: NumberFieldProps) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const { data: rates } = useQuery(ratesQuery);
  const options = useCountryOptions(rates, entry.countryCode);
  useFilledField(`${id}-country`, entry.countryCode, entry.chooseCountry);
  useFilledField(`${id}-number`, entry.text, (text) => entry.onType(text, text.length));
  const composed = useComposedField(entry.text, ({ value, selectionStart }) => {
    entry.onType(value, selectionStart ?? value.length);
    suggestions.open();
  });
  const isOpen = suggestions.shown.length > 0;
  return (
    <div className={classNames(styles.numfield, styles.oneRow)} aria-invalid={problemId !== undefined || undefined}>
      <div className={styles.country} inert={useShell()}>
        <Flag code={entry.countryCode} />
        <span aria-hidden="true" dir="ltr">
          {`+${countryByCode(entry.countryCode)?.dialCode ?? ""}`}
        </span>
        <label className="sr-only" htmlFor={`${id}-country`}>
          {t("country")}
        </label>
        <select id={`${id}-country`} value={entry.countryCode} onChange={(event) => entry.chooseCountry(event.target.value)}>
          {options}
        </select>
        <Icon of={IconChevronDown} />
      </div>
      <div className={styles.number}>
        <label className="sr-only" htmlFor={`${id}-number`}>
          {t("number")}
        </label>
        <input
          ref={input}
          id={`${id}-number`}
          type="tel"
          dir="ltr"
          inputMode="tel"
          autoComplete="off"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? SUGGESTIONS_ID : undefined}
          aria-activedescendant={suggestions.active === null ? undefined : optionId(suggestions.active)}
          placeholder={t("placeholder")}
          {...composed}
          aria-invalid={problemId !== undefined || undefined}
          aria-describedby={problemId}
          onKeyDown={(event) => {
            suggestions.onKeyDown(event);
            if (event.key === "Enter" && !event.defaultPrevented) onEnter();
          }}
          onClick={suggestions.open}
          onBlur={suggestions.close}
        />
        {entry.text !== "" && entry.extension.text === null && (
          <Button className={styles.ext} onClick={() => entry.extension.change("")}>
            <span>{t("extension.short")}</span> <span className="sr-only">{t("extension.add")}</span>
          </Button>
        )}
      </div>
      {entry.text !== "" && entry.extension.text !== null && <ExtensionRow entry={entry} text={entry.extension.text} />}
    </div>
  );
}

/** Dialled after the answer, with a pause for every comma. */
function ExtensionRow({ entry, text }: { readonly entry: NumberEntry; readonly text: string }) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useFilledField(id, text, entry.extension.change);
  const composed = useComposedField(text, ({ value }) => entry.extension.change(value));
  // Focus it only when the caller opened it, not when it was stored or came with the number.
  useEffect(() => {
    if (field.current !== null && /^,*$/.test(field.current.value)) field.current.focus();
  }, []);
  return (
    <div className={styles.extension}>
      <label htmlFor={id}>{t("extension.label")}</label>
      <input
        ref={field}
        id={id}
        type="text"
        dir="ltr"
        inputMode="tel"
        autoComplete="off"
        placeholder={t("extension.placeholder")}
        aria-describedby={`${id}-hint`}
        {...composed}
      />
      <Button iconOnly aria-label={t("extension.remove")} onClick={() => entry.extension.change(null)}>
        <Icon of={IconX} />
      </Button>
      <p className="sr-only" id={`${id}-hint`}>
        {t("extension.hint")}
      </p>
    </div>
  );
}

interface CountryOption {
  iso2: string;
  name: string;
  dialCode: string;
}

/** Renders the chosen country first and the other 200 in a deferred render, so that they don't block the page. */
function useCountryOptions(rates: readonly Rate[] | undefined, chosen: string): readonly ReactElement[] {
  const { t } = useTranslation("dialer");
  const language = currentLanguage();
  const showsAll = useDeferredValue(true, false);
  const all = useMemo(() => (showsAll ? namedCountries(language) : []), [showsAll, language]);
  return useMemo(() => {
    // Translated once, then filled in for each country.
    const pattern = t("countryOption", { name: "{name}", code: "{code}" });
    return (showsAll ? withPrice(all, rates, chosen) : namedCountries(language, chosen)).map(({ iso2, name, dialCode }) => (
      <option key={iso2} value={iso2}>
        {pattern.replace("{name}", () => name).replace("{code}", dialCode)}
      </option>
    ));
  }, [t, showsAll, all, rates, chosen, language]);
}

/** Countries named and sorted in the reader's language; or only one of them. */
function namedCountries(language: string, only?: string): readonly CountryOption[] {
  const collator = new Intl.Collator(language);
  return countries
    .filter((country) => country.selectable && (only === undefined || country.iso2 === only))
    .map(({ iso2, name, dialCode }) => ({ iso2, dialCode, name: countryName(iso2, name) }))
    .toSorted((a, b) => collator.compare(a.name, b.name));
}

/** Countries with a price, once prices are loaded; always includes the chosen one. */
function withPrice(all: readonly CountryOption[], rates: readonly Rate[] | undefined, chosen: string) {
  if (rates === undefined) return all;
  const priced = new Set(rates.map((rate) => rate.country_code));
  return all.filter(({ iso2 }) => priced.has(iso2) || iso2 === chosen);
}
