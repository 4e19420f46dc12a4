import type { PublicRates } from "@farline/contract/public-pages.ts";
import { IconSearch } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { CountryCard } from "./country-card.tsx";
import { COUNTRIES_A_PAGE } from "./country-list.ts";
import { matchesSearch, searchNames } from "./find-countries.ts";
import { NoCountries } from "./no-countries.tsx";
import { PopularDestinations, WhyChoose } from "./rates-sections.tsx";
import "../../ui/card.css";
import "../../ui/empty-state.css";
import "../../ui/field.css";
import "./rates-page.css";

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
    <main className="page ratespage" id="main">
      <h1 className="t-page ratespage__h">{t("heading")}</h1>
      {rates === null ? (
        <div className="card empty">
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
  const { t } = useTranslation("rates");
  const found = countries.filter((one) => matchesSearch(search, searchNames(one)));
  const pages = Math.max(1, Math.ceil(found.length / COUNTRIES_A_PAGE));
  const page = Math.min(number, pages);
  return (
    <section className="ratespage__sec" aria-labelledby="all-countries">
      <div className="spread ratespage__find">
        <h2 className="t-section" id="all-countries">
          {t("all.title")}
        </h2>
        <form className="adorn" role="search" action="/rates#all-countries" data-country-search="">
          <Icon of={IconSearch} />
          <label className="sr-only" htmlFor="country-search">
            {t("all.search")}
          </label>
          <input
            className="input"
            id="country-search"
            name="q"
            type="search"
            maxLength={60}
            placeholder={t("all.search")}
            defaultValue={search}
          />
        </form>
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
        <ul className="rcs">
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
    <nav className="ratespage__pages" aria-label={t("all.pages")}>
      {page > 1 && (
        <a className="btn" rel="prev" href={addressOf(page - 1)}>
          {t("all.previous")}
        </a>
      )}
      <span className="muted">{t("all.page", { page, pages })}</span>
      {page < pages && (
        <a className="btn" rel="next" href={addressOf(page + 1)}>
          {t("all.next")}
        </a>
      )}
    </nav>
  );
}
