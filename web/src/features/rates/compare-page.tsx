import type { ComparedCountry } from "@farline/contract/public-pages.ts";
import type { CountrySummary } from "@farline/contract/rates.ts";
import { useTranslation } from "react-i18next";
import { minutesForDollars, priceText } from "../../text/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { classNames } from "../../ui/class-names.ts";
import { countryPath } from "./country-card.tsx";
import * as styles from "./quality-page.module.css";
import * as buttonStyles from "../../ui/button.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

const EXAMPLE_DOLLARS = 5;

interface ComparePageProps {
  readonly countries: readonly CountrySummary[];
  /** The chosen countries, as far as they exist. */
  readonly chosen: readonly ComparedCountry[];
  /** Slugs of the two fields, "" for none. */
  readonly slugs: readonly [string, string];
}

/** What calls to two countries cost, side by side. A form, so it works without scripts. */
export function ComparePage({ countries, chosen, slugs }: ComparePageProps) {
  const { t } = useTranslation("rates");
  const [first, second] = chosen;
  return (
    <main className={classNames(styles.compare, "page")} id="main">
      <p>
        <a className="link" href="/rates">
          {t("country.all")}
        </a>
      </p>
      <h1 className="t-page">{t("compare.title")}</h1>
      <form className={styles.form} action="/rates/compare" method="get">
        <CountryField name="a" label={t("compare.first")} countries={countries} slug={slugs[0]} />
        <CountryField name="b" label={t("compare.second")} countries={countries} slug={slugs[1]} />
        <button className={classNames(buttonStyles.btn, buttonStyles.action)} type="submit">
          {t("compare.show")}
        </button>
      </form>
      {first === undefined || second === undefined ? (
        <p className="muted">{t("compare.choose")}</p>
      ) : (
        <Comparison first={first} second={second} />
      )}
    </main>
  );
}

interface CountryFieldProps {
  readonly name: string;
  readonly label: string;
  readonly countries: readonly CountrySummary[];
  readonly slug: string;
}

function CountryField({ name, label, countries, slug }: CountryFieldProps) {
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={`compare-${name}`}>{label}</label>
      <select className={fieldStyles.select} id={`compare-${name}`} name={name} defaultValue={slug}>
        <option value="">–</option>
        {countries.map((one) => (
          <option key={one.slug} value={one.slug}>
            {one.country_name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Comparison({ first, second }: { readonly first: ComparedCountry; readonly second: ComparedCountry }) {
  const { t, i18n } = useTranslation("rates");
  const price = priceText(i18n.language);
  const usual = (rate: string | null) => (rate === null ? t("compare.none") : t("perMinute", { rate: price.rate(rate) }));
  const range = (of: ComparedCountry["ranges"]["mobile"]): string => {
    if (of === null) return t("compare.none");
    const [from, to] = [price.rate(of.lowest), price.rate(of.highest)];
    return from === to ? from : t("country.range", { from, to });
  };
  const minutes = (rate: string | null) => (rate === null ? "–" : String(minutesForDollars(EXAMPLE_DOLLARS, rate)));
  const rows: readonly (readonly [label: string, of: (one: ComparedCountry) => string])[] = [
    [`${t("country.mobile")} · ${t("country.usual")}`, (one) => usual(one.summary.mobile_rate)],
    [`${t("country.landline")} · ${t("country.usual")}`, (one) => usual(one.summary.landline_rate)],
    [t("compare.mobileRange"), (one) => range(one.ranges.mobile)],
    [t("compare.landlineRange"), (one) => range(one.ranges.landline)],
    [t("compare.fiveDollars"), (one) => minutes(one.summary.mobile_rate)],
    [t("compare.code"), (one) => `\u2066+${one.dialCode}\u2069`],
  ];
  return (
    <div className={classNames(cardStyles.card, styles.table)}>
      <table>
        <thead>
          <tr>
            <td>
              <span className="sr-only">{t("compare.title")}</span>
            </td>
            {[first, second].map(({ summary }, index) => (
              <th key={`${summary.slug}-${index}`} scope="col">
                <Flag code={summary.country_code} />
                <a href={countryPath(summary)}>{summary.country_name}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, of]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="fig">{of(first)}</td>
              <td className="fig">{of(second)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
