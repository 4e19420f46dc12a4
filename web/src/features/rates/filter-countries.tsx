import type { CountriesResponse, CountrySummary } from "@farline/contract/rates.ts";
import type { i18n as I18n } from "i18next";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { I18nextProvider, useTranslation } from "react-i18next";
import { after, anySignal } from "../../time/timers.ts";
import { CountryCard, NoCountries } from "./country-card.tsx";
import { type CountryLibrary, countryLibrary } from "../../text/libraries.ts";
import { codeOfSummary, COUNTRIES_A_PAGE, localSummaries, searchCountries } from "./find-countries.ts";
import * as styles from "./rates-page.module.css";
import * as buttonStyles from "../../ui/button.module.css";

const TIMEOUT_MS = 20_000;
/** After this many failed loads, the search is left to Enter. */
const MAX_LOAD_ATTEMPTS = 3;
/** The address follows when typing pauses, because browsers limit how often it may change. */
const ADDRESS_AFTER_MS = 400;

/**
 * Filters the countries of the public page while the reader types, as the app does. The page is complete without it: the server
 * filters when Enter is pressed. The countries are loaded once, when the search is first used.
 * @param results what the server rendered: shown again when its own search is typed again
 */
export function filterCountries(form: HTMLFormElement, results: HTMLElement, texts: I18n): void {
  const input = form.querySelector("input");
  if (input === null) return;
  const place = document.createElement("div");
  results.after(place);
  createRoot(place).render(
    <I18nextProvider i18n={texts}>
      <FilteredCountries form={form} input={input} results={results} />
    </I18nextProvider>,
  );
}

interface FilteredCountriesProps {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly results: HTMLElement;
}

function FilteredCountries({ form, input, results }: FilteredCountriesProps) {
  const { t, i18n } = useTranslation("rates");
  const typed = useTyped(input);
  const { loaded, hasFailed } = useCountries(form, typed !== input.defaultValue);
  const { language } = i18n;
  const shown = useMemo(() => localSummaries(loaded?.countries ?? [], language), [loaded, language]);
  const found = useMemo(
    () => (loaded === null ? [] : searchCountries(shown, { typed, language, codeOf: codeOfSummary }, loaded.library)),
    [loaded, shown, typed, language],
  );
  const isFiltering = loaded !== null && typed !== input.defaultValue;
  useEffect(() => {
    results.toggleAttribute("hidden", isFiltering);
  }, [results, isFiltering]);
  useAddress(typed, isFiltering);
  useEffect(() => {
    // The list on the screen is already the result.
    const stay = (event: Event): void => {
      if (isFiltering) event.preventDefault();
    };
    form.addEventListener("submit", stay);
    return () => form.removeEventListener("submit", stay);
  }, [form, isFiltering]);
  const isSearching = typed.trim() !== "";
  const status = isFiltering && isSearching ? t("all.found", { count: found.length }) : hasFailed ? t("all.pressEnter") : "";
  return (
    <>
      <p role="status">{status}</p>
      {isFiltering && <Cards key={typed} countries={found} />}
    </>
  );
}

function Cards({ countries }: { readonly countries: readonly CountrySummary[] }) {
  const { t } = useTranslation(["rates", "common"]);
  const [limit, setLimit] = useState(COUNTRIES_A_PAGE);
  if (countries.length === 0) return <NoCountries />;
  return (
    <>
      <ul className={styles.rcs}>
        {countries.slice(0, limit).map((summary) => (
          <CountryCard key={summary.country_code} summary={summary} />
        ))}
      </ul>
      {countries.length > limit && (
        <button className={buttonStyles.btn} type="button" onClick={() => setLimit(limit + COUNTRIES_A_PAGE)}>
          {t("common:showMore")}
        </button>
      )}
    </>
  );
}

/** The field's text, including text typed before this script loaded or restored by the browser. */
function useTyped(input: HTMLInputElement): string {
  return useSyncExternalStore(
    (listener) => {
      input.addEventListener("input", listener);
      addEventListener("pageshow", listener);
      return () => {
        input.removeEventListener("input", listener);
        removeEventListener("pageshow", listener);
      };
    },
    () => input.value,
  );
}

/** Loads the countries when the search is focused, or already used. */
function useCountries(form: HTMLFormElement, isUsed: boolean) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [loads, setLoads] = useState({ wanted: 0, failed: 0 });
  const wanted = Math.max(loads.wanted, isUsed ? 1 : 0);
  useEffect(() => {
    const want = (): void => setLoads((now) => ({ ...now, wanted: Math.min(MAX_LOAD_ATTEMPTS, now.failed + 1) }));
    for (const event of ["focusin", "input"]) form.addEventListener(event, want);
    return () => {
      for (const event of ["focusin", "input"]) form.removeEventListener(event, want);
    };
  }, [form]);
  const isWanted = loaded === null && wanted > loads.failed;
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = new AbortController();
    loadCountries(stop.signal).then(setLoaded, () => {
      if (!stop.signal.aborted) setLoads((now) => ({ ...now, failed: now.failed + 1 }));
    });
    return () => stop.abort();
  }, [isWanted]);
  return { loaded, hasFailed: loaded === null && loads.failed > 0 };
}

interface Loaded {
  readonly countries: readonly CountrySummary[];
  readonly library: CountryLibrary;
}

async function loadCountries(signal: AbortSignal): Promise<Loaded> {
  const [library, response] = await Promise.all([countryLibrary.load(), requestCountries(signal)]);
  if (!response.ok) throw new Error(`The request for the countries failed with ${response.status}.`);
  return { library, countries: ((await response.json()) as CountriesResponse).countries };
}

function requestCountries(signal: AbortSignal): Promise<Response> {
  return fetch("/api/rates/countries", {
    headers: { Accept: "application/json" },
    signal: anySignal(signal, AbortSignal.timeout(TIMEOUT_MS)),
  });
}

/** Keeps the search in the address, so that a reload and Back restore it. */
function useAddress(typed: string, isFiltering: boolean): void {
  useEffect(() => {
    if (!isFiltering) return undefined;
    return after(ADDRESS_AFTER_MS, () => {
      const query = typed.trim() === "" ? "" : `?${new URLSearchParams({ q: typed.trim() })}`;
      history.replaceState(history.state, "", `${location.pathname}${query}`);
    });
  }, [typed, isFiltering]);
}
