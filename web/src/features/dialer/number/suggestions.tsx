import type { NumberSuggestion } from "@farline/contract/call-history.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { IconMoon, IconWorld } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import * as styles from "./dial-form.module.css";
import { countryName, currentLanguage } from "../../../text/i18n.ts";
import { type CountryLibrary, countryLibrary, useLibrary } from "../../../text/libraries.ts";
import { useDebounced, useMinute } from "../../../time/use-now.ts";
import { suggestionsQuery } from "../dialer-queries.ts";
import { significantPart } from "./edit-number.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { keepFocus } from "./dial-keys.tsx";
import { onlyClockOf } from "@farline/domain/countries/time-zones.ts";
import { timeThere } from "../../../text/time-there.ts";
import { useNumberText } from "../call-intent.ts";
import { classNames } from "../../../ui/class-names.ts";

/** Debounce delay before suggestions are requested. */
const ASK_AFTER_MS = 150;
const MAX_SEARCH_CHARS = 60;
/** Letters first: the field is for numbers. */
const WORD = /^\s*\p{L}.?\p{L}/u;
const MAX_COUNTRIES = 3;

/** The value that a suggestion fills in: a number, or only a country. */
type Suggestion = { readonly kind: "number"; readonly number: NumberSuggestion } | CountrySuggestion;
interface CountrySuggestion {
  readonly kind: "country";
  readonly countryCode: string;
  readonly name: string;
}

export interface Suggestions {
  /** Empty while the list is closed. */
  readonly shown: readonly Suggestion[];
  /** Index of the one that Enter takes; null when Enter dials. */
  readonly active: number | null;
  open(): void;
  close(): void;
  take(suggestion: Suggestion): void;
  /** Handles the list's keys and prevents their default. */
  onKeyDown(event: KeyboardEvent): void;
}

/** Contacts, numbers called before and countries that match the number field. */
export function useSuggestions(entry: NumberEntry): Suggestions {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const text = entry.text.trim().slice(0, MAX_SEARCH_CHARS);
  const settled = useDebounced(text, ASK_AFTER_MS);
  const { data: numbers = [] } = useQuery({ ...suggestionsQuery(settled), enabled: isOpen });
  const lookUp = useLibrary(countryLibrary, isOpen && WORD.test(text));
  const found = isOpen ? [...numbers.filter(differsFrom(entry)).map(ofNumber), ...countriesCalled(text, lookUp)] : [];
  // Letters cannot be dialled, so Enter takes the first match.
  const first = /\p{L}/u.test(text) ? 0 : null;
  const active = found.length === 0 ? null : chosen === null ? first : Math.min(chosen, found.length - 1);

  const close = (): void => {
    setOpen(false);
    setChosen(null);
  };
  const take = (suggestion: Suggestion): void => {
    if (suggestion.kind === "country") entry.enter({ number: "", countryCode: suggestion.countryCode });
    else entry.enter({ number: suggestion.number.phone_number + suggestion.number.extension, name: suggestion.number.name });
    close();
  };
  const move = (by: 1 | -1): void => {
    setOpen(true);
    const from = active ?? (by === 1 ? -1 : 0);
    if (found.length > 0) setChosen((from + by + found.length) % found.length);
  };
  return {
    shown: found,
    active,
    open: () => {
      setOpen(true);
      setChosen(null);
    },
    close,
    take,
    onKeyDown: (event) => {
      const suggestion = active === null ? undefined : found[active];
      if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
      else if (event.key === "Escape" && found.length > 0) close();
      else if (event.key === "Enter" && suggestion !== undefined) take(suggestion);
      else {
        // Enter dials: a refusal must not be hidden under the list.
        if (event.key === "Enter") close();
        return;
      }
      event.preventDefault();
    },
  };
}

function ofNumber(number: NumberSuggestion): Suggestion {
  return { kind: "number", number };
}

/** A number already complete in the field is not suggested. */
function differsFrom({ number, text }: NumberEntry): (suggestion: NumberSuggestion) => boolean {
  const typed = number?.ok === true ? number.e164 : significantPart(text);
  return ({ phone_number: e164, extension }) => e164 !== typed || extension !== "";
}

/** The countries that a word means, by any of their names. */
function countriesCalled(text: string, lookUp: CountryLibrary | null): CountrySuggestion[] {
  if (lookUp === null || !WORD.test(text)) return [];
  return lookUp
    .findCountries(text, { language: currentLanguage() })
    .flatMap((code) => countryByCode(code) ?? [])
    .filter(({ selectable }) => selectable)
    .slice(0, MAX_COUNTRIES)
    .map(({ iso2, name }) => ({ kind: "country", countryCode: iso2, name: countryName(iso2, name) }));
}

/** One list is on the page, so its id is fixed: the field names it, and stands elsewhere. */
export const SUGGESTIONS_ID = "number-suggestions";

/** The id of an option, for the field that names the active one. */
export function optionId(index: number): string {
  return `${SUGGESTIONS_ID}-${index}`;
}

/** What matches the number field. Nothing while it is closed. */
export function SuggestionList({ suggestions }: { readonly suggestions: Suggestions }) {
  const { t } = useTranslation("dialer");
  const now = useMinute();
  if (suggestions.shown.length === 0) return null;
  return (
    <div id={SUGGESTIONS_ID} className={styles.suggest} role="listbox" aria-label={t("suggestions.title")}>
      {suggestions.shown.map((suggestion, index) => (
        // The field keeps the focus and takes the keys.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={
            suggestion.kind === "country" ? suggestion.countryCode : suggestion.number.phone_number + suggestion.number.extension
          }
          id={optionId(index)}
          className={styles.suggestion}
          role="option"
          aria-selected={index === suggestions.active}
          onMouseDown={keepFocus}
          onClick={() => suggestions.take(suggestion)}
        >
          <Content of={suggestion} now={now} />
        </div>
      ))}
    </div>
  );
}

function Content({ of, now }: { readonly of: Suggestion; readonly now: Date }) {
  const { t } = useTranslation("dialer");
  const write = useNumberText();
  if (of.kind === "country")
    return (
      <>
        <Flag code={of.countryCode} size="sm" />
        <span className={styles.who}>{of.name}</span>
        <span className={styles.more}>
          <Icon of={IconWorld} />
          <span>{t("suggestions.country")}</span>
        </span>
      </>
    );
  const { phone_number: number, extension, country_code: code, name } = of.number;
  const there = timeThere(onlyClockOf(code), now);
  return (
    <>
      <Flag code={code} size="sm" />
      <span className={styles.who}>
        {name !== null && <bdi>{name}</bdi>}
        <span className={name === null ? "fig" : classNames(styles.suggestedNumber, "fig")}>
          {withExtension(write(number), extension)}
        </span>
      </span>
      {there !== null && (
        <span className={classNames(styles.more, "fig")}>
          {there.night && <Icon of={IconMoon} />}
          <span className="sr-only">{t("there.time", { time: there.time })}</span>
          <span aria-hidden="true">{there.time}</span>
        </span>
      )}
    </>
  );
}
