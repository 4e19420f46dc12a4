import type { PublicRates } from "@farline/contract/public-pages.ts";
import type { CountrySummary } from "@farline/contract/rates.ts";
import { useTranslation } from "react-i18next";
import { dateText } from "../../text/local-text.ts";
import { priceText } from "../../text/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { countryPath, usualRate } from "./country-card.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./rates-page.module.css";
import * as destinationsStyles from "../../ui/destinations.module.css";

/** Shown on the rates page, in this order, if the deck has them. */
const POPULAR = ["IN", "GB", "CA", "MX", "DE", "AU", "FR", "CN"];

export function popularDestinations(countries: readonly CountrySummary[]): readonly CountrySummary[] {
  return POPULAR.flatMap((code) => countries.find((one) => one.country_code === code) ?? []);
}

interface PopularProps {
  readonly countries: readonly CountrySummary[];
  readonly newTab?: boolean;
}

/** The most popular destinations, at the price shown on the dialer and the landing page. */
export function PopularDestinations({ countries, newTab = false }: PopularProps) {
  const { t, i18n } = useTranslation("rates");
  const popular = popularDestinations(countries);
  if (popular.length === 0) return null;
  return (
    <section className={styles.sec} aria-labelledby="popular-destinations">
      <h2 className="t-card" id="popular-destinations">
        {t("popular")}
      </h2>
      <ul className={classNames(destinationsStyles.dests, styles.dests4)}>
        {popular.map((one) => (
          <li key={one.country_code}>
            <a
              className={destinationsStyles.dest}
              href={countryPath(one)}
              target={newTab ? "_blank" : undefined}
              rel={newTab ? "noreferrer" : undefined}
            >
              <Flag code={one.country_code} />
              <b>{one.country_name}</b>
              <small>{t("perMinute", { rate: priceText(i18n.language).rate(usualRate(one)) })}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const REASONS = ["price", "subscriptions", "fees", "download"] as const;

type AboutRates = Pick<PublicRates, "effectiveAt">;

interface WhyChooseProps {
  /** Null omits facts from the deck. */
  readonly about: AboutRates | null;
  readonly newTab?: boolean;
}

/** Reasons to choose Farline, and how to read the rates. */
export function WhyChoose({ about, newTab = false }: WhyChooseProps) {
  const { t, i18n } = useTranslation("rates");
  return (
    <section className={classNames(styles.sec, styles.why)} aria-labelledby="why-choose">
      <h2 className="t-section" id="why-choose">
        {t("why.title")}
      </h2>
      <dl>
        {REASONS.map((reason) => (
          <div key={reason}>
            <dt>{t(`why.${reason}.title`)}</dt>
            <dd>{t(`why.${reason}.text`)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.about}>
        <h3 className="t-sub">{t("about.title")}</h3>
        <p className="muted">{t("about.text")}</p>
        <p className="muted">{t("about.increments")}</p>
        <p>
          <a className="link" href="/quality" target={newTab ? "_blank" : undefined} rel={newTab ? "noreferrer" : undefined}>
            {t("about.quality")}
          </a>
        </p>
        {about !== null && <p className="muted">{t("about.date", { date: dateText(about.effectiveAt, i18n.language) })}</p>}
      </div>
    </section>
  );
}
