import type { PublicRates } from "@farline/contract/public-pages.ts";
import * as countryLibrary from "@farline/domain/countries/find-countries.ts";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { CountryCard, NoCountries } from "./country-card.tsx";
import { codeOfSummary, COUNTRIES_A_PAGE, searchCountries } from "./find-countries.ts";
import { CountrySearchForm } from "./country-search.tsx";
import { PopularDestinations, WhyChoose } from "./rates-sections.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./rates-page.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as emptyStateStyles from "../../ui/empty-state.module.css";
import * as buttonStyles from "../../ui/button.module.css";

interface RatesPageProps {
  /** Null while no deck is in force. */
  readonly rates: PublicRates | null;
  readonly calculator: ReactElement | null;
  /** Filters the countries; "" for all. */
  readonly search: string;
  /** Page of the list, from 1. */
  readonly number: number;
}

/** Calculator and country browser of the public site. */
export function RatesPage({ rates, calculator, search, number }: RatesPageProps) {
  const { t } = useTranslation("rates");
  return (
    <main className={classNames(styles.ratespage, "page")} id="main">
      <h1 className={classNames(styles.heading, "t-page")}>{t("heading")}</h1>
      {rates === null ? (
        <div className={classNames(cardStyles.card, emptyStateStyles.empty)}>
          <h2 className="t-card">{t("notReady.title")}</h2>
          <p className="muted">{t("notReady.text")}</p>
        </div>
      ) : (
        <>
          {calculator}
          <PopularDestinations countries={rates.countries} />
          <CountryList countries={rates.countries} search={search} number={number} />
        </>
      )}
      <WhyChoose about={rates} />
    </main>
  );
}

interface CountryListProps extends Pick<RatesPageProps, "search" | "number"> {
  readonly countries: PublicRates["countries"];
}

/** A page of country cards. Search and pages are a form and links, so they work without scripts; `filterCountries` filters while typing. */
function CountryList({ countries, search, number }: CountryListProps) {
  const { t, i18n } = useTranslation("rates");
  const found = searchCountries(countries, { typed: search, language: i18n.language, codeOf: codeOfSummary }, countryLibrary);
  const pages = Math.max(1, Math.ceil(found.length / COUNTRIES_A_PAGE));
  const page = Math.min(number, pages);
  return (
    <section className={styles.sec} aria-labelledby="all-countries">
      <div className={classNames(styles.find, "spread")}>
        <h2 className="t-section" id="all-countries">
          {t("all.title")}
        </h2>
        <CountrySearchForm action="/rates#all-countries" search={search} isLive />
      </div>
      <div data-country-results="">
        {search !== "" && (
          <p role="status">
            <span>{`${t("all.found", { count: found.length })} `}</span>
            <a className="link" href="/rates#all-countries">
              {t("all.showAll")}
            </a>
          </p>
        )}
        <ul className={styles.rcs}>
          {found.slice((page - 1) * COUNTRIES_A_PAGE, page * COUNTRIES_A_PAGE).map((summary) => (
            <CountryCard key={summary.country_code} summary={summary} />
          ))}
        </ul>
        {found.length === 0 && <NoCountries />}
        {pages > 1 && <Pages search={search} page={page} pages={pages} />}
      </div>
    </section>
  );
}

interface PagesProps {
  readonly search: string;
  readonly page: number;
  readonly pages: number;
}

function Pages({ search, page, pages }: PagesProps) {
  const { t } = useTranslation("rates");
  const addressOf = (to: number) => {
    const query = new URLSearchParams({ ...(search === "" ? {} : { q: search }), ...(to === 1 ? {} : { page: String(to) }) });
    return `/rates${query.size === 0 ? "" : `?${query}`}#all-countries`;
  };
  return (
    <nav className={styles.pages} aria-label={t("all.pages")}>
      {page > 1 && (
        <a className={buttonStyles.btn} rel="prev" href={addressOf(page - 1)}>
          {t("all.previous")}
        </a>
      )}
      <span className="muted">{t("all.page", { page, pages })}</span>
      {page < pages && (
        <a className={buttonStyles.btn} rel="next" href={addressOf(page + 1)}>
          {t("all.next")}
        </a>
      )}
    </nav>
  );
}
