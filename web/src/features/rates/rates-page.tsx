import type { PublicRates } from "@farline/contract/public-pages.ts";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CountryCard } from "./country-card.tsx";
import { NoCountries, PopularDestinations, WhyChoose } from "./rates-sections.tsx";
import "../../ui/card.css";
import "../../ui/empty-state.css";
import "./rates-page.css";

interface RatesPageProps {
  /** Null while no deck is in force. */
  readonly rates: PublicRates | null;
  readonly calculator: ReactNode;
  readonly search: ReactNode;
}

/**
 * A row of the widest screen. The cards after these get their flag and sample prefixes once the page is painted: with all of
 * them it would be twice as long.
 */
const WHOLE_CARDS = 3;

/** Calculator and country browser of the public site. */
export function RatesPage({ rates, calculator, search }: RatesPageProps) {
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
          <section className="ratespage__sec" aria-labelledby="all-countries">
            <div className="spread ratespage__find">
              <h2 className="t-section" id="all-countries">
                {t("all.title")}
              </h2>
              {search}
            </div>
            <ul className="rcs drawn-later">
              {rates.countries.map((summary, index) => (
                <CountryCard key={summary.country_code} summary={summary} brief={index >= WHOLE_CARDS} />
              ))}
            </ul>
            <NoCountries hidden />
          </section>
        </>
      )}
      <WhyChoose about={rates} />
    </main>
  );
}
