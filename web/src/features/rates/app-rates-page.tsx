import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { request } from "../../service/http.ts";
import { countryLibrary, useLibrary } from "../../text/libraries.ts";
import { useTitle } from "../../browser/page-hooks.ts";
import { NotLoaded } from "../../ui/waiting/loaded.tsx";
import { Calculator, type CallLinkProps } from "./calculator/calculator.tsx";
import { CountryCard, NoCountries, usualRate } from "./country-card.tsx";
import { codeOfSummary, COUNTRIES_A_PAGE, localSummaries, searchCountries } from "./find-countries.ts";
import { CountrySearchField } from "./country-search.tsx";
import { PopularDestinations, WhyChoose } from "./rates-sections.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./rates-page.module.css";
import * as buttonStyles from "../../ui/button.module.css";

const STALE_MS = 60_000;

/** The rates page for signed-in users, inside the app, so that a running call continues. */
export function AppRatesPage() {
  const { t, i18n } = useTranslation(["rates", "common"]);
  useTitle(t("title"));
  const [typed, setTyped] = useState("");
  const [limit, setLimit] = useState(COUNTRIES_A_PAGE);
  const rates = useQuery({
    queryKey: ["rates", "countries"],
    queryFn: async ({ signal }) => (await request("GET /api/rates/countries", { signal })).countries,
    staleTime: STALE_MS,
    meta: { failure: () => t("failure") },
  });
  const shown = useMemo(() => localSummaries(rates.data ?? [], i18n.language), [rates.data, i18n.language]);
  const countries = useMemo(
    () =>
      shown.map((one) => ({
        code: one.country_code,
        name: one.country_name,
        dialCode: countryByCode(one.country_code)?.dialCode ?? "",
        usualRate: usualRate(one),
      })),
    [shown],
  );
  const lookUp = useLibrary(countryLibrary, typed !== "");
  const found = useMemo(
    () => (lookUp === null ? shown : searchCountries(shown, { typed, language: i18n.language, codeOf: codeOfSummary }, lookUp)),
    [shown, typed, i18n.language, lookUp],
  );
  if (rates.data === undefined) return <NotLoaded of={rates} failure={t("failure")} rows={6} />;
  return (
    <div className={styles.ratespage}>
      <h1 className={classNames(styles.heading, "t-page")}>{t("heading")}</h1>
      <Calculator countries={countries} callLink={DialerLink} />
      <PopularDestinations countries={shown} newTab />
      <section className={styles.sec} aria-labelledby="all-countries">
        <div className={classNames(styles.find, "spread")}>
          <h2 className="t-section" id="all-countries">
            {t("all.title")}
          </h2>
          <CountrySearchField text={typed} found={found.length} onSearch={setTyped} />
        </div>
        <ul className={styles.rcs}>
          {found.slice(0, limit).map((summary) => (
            <CountryCard key={summary.country_code} summary={summary} newTab />
          ))}
        </ul>
        {found.length > limit && (
          <button className={buttonStyles.btn} type="button" onClick={() => setLimit(limit + COUNTRIES_A_PAGE)}>
            {t("common:showMore")}
          </button>
        )}
        {found.length === 0 && <NoCountries />}
      </section>
      <WhyChoose about={null} newTab />
    </div>
  );
}

function DialerLink({ className, onClick, children }: CallLinkProps) {
  return (
    <Link className={className} to="/dialer" onClick={onClick}>
      {children}
    </Link>
  );
}
