import type { CountrySummary } from "@farline/contract/rates.ts";
import { useTranslation } from "react-i18next";
import { minutesForOneDollar, priceText } from "../../lib/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { searchNames } from "./find-countries.ts";

/** The page of one country. */
export function countryPath({ slug }: Pick<CountrySummary, "slug">): string {
  return `/rates/${slug}`;
}

interface CountryCardProps {
  readonly summary: CountrySummary;
  /** Opens the country's page beside this one, for people whose call would end with this one. */
  readonly newTab?: boolean;
  /** The card only carries its sample prefixes; `complete-cards.ts` draws them. */
  readonly carried?: boolean;
}

/** What stands in the table of a card, in the reader's language. */
export interface CardSamples {
  readonly caption: string;
  /** Prefix, name, price per minute. */
  readonly rows: readonly (readonly [string, string, string])[];
}

/** What a country's ordinary numbers cost: average, span, and a few prefixes. */
export function CountryCard({ summary, newTab = false, carried = false }: CountryCardProps) {
  const { t, i18n } = useTranslation("rates");
  const price = priceText(i18n.language);
  const { country_name: country, country_code: code } = summary;
  const minutes = minutesForOneDollar(summary.avg_rate);
  const samples: CardSamples = {
    caption: t("card.samples", { country }),
    rows: summary.sample_prefixes.map((sample) => [`+${sample.prefix}`, sample.description, price.rate(sample.rate)]),
  };
  return (
    <li
      className="card ratecard"
      data-country={searchNames(summary).join("|")}
      data-samples={carried ? JSON.stringify(samples) : undefined}
    >
      <div className="ratecard__top">
        <Flag code={code} size="lg" />
        <h3 className="t-sub">
          <a href={countryPath(summary)} target={newTab ? "_blank" : undefined} rel={newTab ? "noreferrer" : undefined}>
            {country}
          </a>
        </h3>
        {minutes !== null && <span className="dollar">{t("dollarBuys", { minutes })}</span>}
      </div>
      <p className="ratecard__price">
        {price.rate(summary.avg_rate)}
        <small>{t("card.average")}</small>
      </p>
      <dl className="minmax">
        <div>
          <dt>{t("card.min")}</dt>
          <dd>{price.rate(summary.min_rate)}</dd>
        </div>
        <div>
          <dt>{t("card.max")}</dt>
          <dd>{price.rate(summary.max_rate)}</dd>
        </div>
        <div>
          <dt>{t("card.prefixes")}</dt>
          <dd>{summary.rate_count}</dd>
        </div>
      </dl>
      {!carried && <SamplePrefixes samples={samples} />}
    </li>
  );
}

function SamplePrefixes({ samples: { caption, rows } }: { readonly samples: CardSamples }) {
  return (
    <table className="prefixes">
      <caption className="sr-only">{caption}</caption>
      <tbody>
        {rows.map(([prefix, name, rate]) => (
          <tr key={prefix}>
            <th scope="row" dir="ltr">
              {prefix}
            </th>
            <td>{name}</td>
            <td>{rate}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
