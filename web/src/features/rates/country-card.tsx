import type { CountrySummary } from "@farline/contract/rates.ts";
import { useTranslation } from "react-i18next";
import { minutesForOneDollar, priceText, useMinutesText } from "../../text/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { classNames } from "../../ui/class-names.ts";
import cord from "../../assets/cord-empty.svg";
import * as diallingStyles from "../../ui/dialling/dialling.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./country-card.module.css";
import * as emptyStateStyles from "../../ui/empty-state.module.css";

/** The page of one country. */
export function countryPath({ slug }: Pick<CountrySummary, "slug">): string {
  return `/rates/${slug}`;
}

/** What most calls to a country cost: to mobiles, or else to landlines. */
export function usualRate(summary: CountrySummary): string {
  return summary.mobile_rate ?? summary.landline_rate ?? summary.avg_rate;
}

interface CountryCardProps {
  readonly summary: CountrySummary;
  /** Opens the country's page in another tab, because leaving this one would end a running call. */
  readonly newTab?: boolean;
}

/** Prices of a country's ordinary numbers: what most calls cost, range, and a few prefixes. */
export function CountryCard({ summary, newTab = false }: CountryCardProps) {
  const { t, i18n } = useTranslation("rates");
  const price = priceText(i18n.language);
  const minutesText = useMinutesText();
  const { country_name: country, country_code: code } = summary;
  const minutes = minutesForOneDollar(usualRate(summary));
  return (
    <li className={classNames(cardStyles.card, styles.ratecard)} data-country={code}>
      <div className={styles.top}>
        <Flag code={code} size="lg" />
        <h3 className="t-sub">
          <a href={countryPath(summary)} target={newTab ? "_blank" : undefined} rel={newTab ? "noreferrer" : undefined}>
            {country}
          </a>
        </h3>
        {minutes !== null && (
          <span className={classNames(diallingStyles.dollar, styles.minutes)}>
            {t("dollarBuys", { minutes: minutesText(minutes) })}
          </span>
        )}
      </div>
      <p className={styles.price}>
        <span>{price.rate(usualRate(summary))}</span>
        <small>{t("card.usual")}</small>
      </p>
      <dl className={styles.minmax}>
        <div>
          <dt>{t("card.min")}</dt>
          <dd>{price.rate(summary.min_rate)}</dd>
        </div>
        <div>
          <dt>{t("card.max")}</dt>
          <dd>{price.rate(summary.max_rate)}</dd>
        </div>
        {summary.landline_rate !== null && (
          <div>
            <dt>{t("country.landline")}</dt>
            <dd>{price.rate(summary.landline_rate)}</dd>
          </div>
        )}
      </dl>
      <table className={styles.prefixes}>
        <caption className="sr-only">{t("card.samples", { country })}</caption>
        <tbody>
          {summary.sample_prefixes.map((sample) => (
            <tr key={sample.prefix}>
              <th scope="row" dir="ltr">
                {`+${sample.prefix}`}
              </th>
              <td>{sample.description}</td>
              <td>{price.rate(sample.rate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </li>
  );
}

/** Shown instead of the cards if the search finds none. */
export function NoCountries() {
  const { t } = useTranslation("rates");
  return (
    <div className={emptyStateStyles.empty}>
      <img src={cord} alt="" width="240" height="120" loading="lazy" />
      <p className="t-card">{t("all.none")}</p>
      <p className="muted">{t("all.noneText")}</p>
    </div>
  );
}
