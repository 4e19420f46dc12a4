import { qualitySorts } from "@farline/contract/constants.ts";
import type { QualitySort } from "@farline/contract/public-pages.ts";
import type { DestinationQuality } from "@farline/contract/quality.ts";
import type { Language } from "@farline/contract/languages.ts";
import { MAX_CALLS_PER_CUSTOMER, MIN_CALLS, REPORT_DAYS } from "@farline/domain/calls/published-quality.ts";
import * as countryLibrary from "@farline/domain/countries/find-countries.ts";
import { writing } from "@farline/domain/languages.ts";
import { useTranslation } from "react-i18next";
import cord from "../../assets/cord-empty.svg";
import { qualityBand } from "../../phone/quality/call-quality.ts";
import { dateText } from "../../text/local-text.ts";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { CountrySearchForm } from "./country-search.tsx";
import { searchCountries } from "./find-countries.ts";
import { NoCountries } from "./country-card.tsx";
import * as buttonStyles from "../../ui/button.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as emptyStateStyles from "../../ui/empty-state.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as ratesPageStyles from "./rates-page.module.css";
import * as styles from "./quality-page.module.css";

const MIN_CUSTOMERS = MIN_CALLS / MAX_CALLS_PER_CUSTOMER;
const METHOD = ["calls", "answered", "delay", "sound", "privacy"] as const;

interface QualityPageProps {
  /** Every country that can be called or has figures. */
  readonly destinations: readonly Destination[];
  /** The last day of the report; null before the first. */
  readonly lastDay: string | null;
  /** Filters the countries; "" for those with figures. */
  readonly search: string;
  readonly sort: QualitySort;
}

/** How calls to each country go, and how that is measured. */
export function QualityPage({ destinations, lastDay, search, sort }: QualityPageProps) {
  const { t, i18n } = useTranslation("quality");
  const published = destinations.filter(({ quality }) => quality !== null);
  return (
    <main className={classNames(ratesPageStyles.ratespage, "page")} id="main">
      <h1 className={classNames(ratesPageStyles.heading, "t-page")}>{t("heading")}</h1>
      <p className={classNames(styles.lead, "lead")}>{t("lead")}</p>
      {published.length === 0 || lastDay === null ? (
        <TooYoung />
      ) : (
        <section className={ratesPageStyles.sec} aria-labelledby="countries">
          <div className={classNames(ratesPageStyles.find, "spread")}>
            <h2 className="t-section" id="countries">
              {t("list")}
            </h2>
            <CountrySearchForm action="/quality#countries" search={search} hiddenFields={sort === "country" ? {} : { sort }} />
          </div>
          <SortLinks search={search} sort={sort} />
          <DestinationList destinations={destinations} published={published} search={search} sort={sort} />
          <p className="muted small">{t("updated", { date: dateText(lastDay, i18n.language) })}</p>
        </section>
      )}
      <Method />
    </main>
  );
}

function TooYoung() {
  const { t } = useTranslation("quality");
  return (
    <div className={classNames(cardStyles.card, emptyStateStyles.empty)}>
      <img src={cord} alt="" width="240" height="120" loading="lazy" />
      <h2 className="t-card">{t("none.title")}</h2>
      <p className="muted">{t("none.text", { calls: MIN_CALLS, customers: MIN_CUSTOMERS })}</p>
      <a className={buttonStyles.btn} href="/rates">
        {t("none.rates")}
      </a>
    </div>
  );
}

function SortLinks({ search, sort }: Pick<QualityPageProps, "search" | "sort">) {
  const { t } = useTranslation("quality");
  const addressOf = (by: QualitySort): string => {
    const query = new URLSearchParams({ ...(search === "" ? {} : { q: search }), ...(by === "country" ? {} : { sort: by }) });
    return `/quality${query.size === 0 ? "" : `?${query}`}#countries`;
  };
  return (
    <nav className={styles.sort} aria-label={t("sort.label")}>
      <span className="muted">{t("sort.label")}</span>
      {qualitySorts.map((by) => (
        <a key={by} className={styles.by} href={addressOf(by)} aria-current={by === sort ? "true" : undefined}>
          {t(`sort.${by}`)}
        </a>
      ))}
    </nav>
  );
}

interface DestinationListProps extends Pick<QualityPageProps, "destinations" | "search" | "sort"> {
  readonly published: QualityPageProps["destinations"];
}

function DestinationList({ destinations, published, search, sort }: DestinationListProps) {
  const { t, i18n } = useTranslation(["quality", "rates"]);
  const isSearching = search !== "";
  const shown = isSearching
    ? searchCountries(destinations, { typed: search, language: i18n.language, codeOf }, countryLibrary)
    : published;
  const others = destinations.length - published.length;
  return (
    <>
      {isSearching && (
        <p role="status">
          <span>{`${t("rates:all.found", { count: shown.length })} `}</span>
          <a className="link" href="/quality#countries">
            {t("rates:all.showAll")}
          </a>
        </p>
      )}
      {shown.length === 0 ? (
        <NoCountries />
      ) : (
        <ul className={classNames(cardStyles.card, rowsStyles.rows, styles.list)}>
          {sortDestinations(shown, sort, i18n.language).map((one) => (
            <DestinationRow key={one.code} destination={one} />
          ))}
        </ul>
      )}
      {!isSearching && others > 0 && <p className="muted small">{t("others", { count: others })}</p>}
    </>
  );
}

function DestinationRow({ destination: { code, name, path, quality } }: { readonly destination: Destination }) {
  const { t } = useTranslation("quality");
  return (
    <li className={styles.row} id={code.toLowerCase()}>
      <h3 className={styles.country}>
        <Flag code={code} />
        {path === null ? <span>{name}</span> : <a href={path}>{name}</a>}
      </h3>
      {quality === null ? <p className="muted">{t("tooFew")}</p> : <Figures quality={quality} />}
    </li>
  );
}

function Figures({ quality }: { readonly quality: DestinationQuality }) {
  const { t, i18n } = useTranslation(["quality", "history"]);
  const { figures } = writing[i18n.language as Language];
  const format = (value: number, options: Intl.NumberFormatOptions = {}): string =>
    new Intl.NumberFormat(figures, { numberingSystem: "latn", ...options }).format(value);
  const { answered_percent: percent, delay_median_seconds: median, delay_p95_seconds: most, mos_median: mos } = quality;
  return (
    <dl className={styles.figures}>
      <Figure name={t("answered")} figure={format(percent / 100, { style: "percent" })} />
      <Figure
        name={t("delay")}
        figure={median === null ? null : t("seconds", { seconds: format(median) })}
        note={most === null ? null : t("most", { seconds: format(most) })}
      />
      <Figure
        name={t("sound")}
        figure={mos === null ? null : t(`history:quality.${qualityBand(mos)}`)}
        note={mos === null ? null : t("score", { score: format(mos, { minimumFractionDigits: 1 }) })}
      />
      <Figure
        name={t("counted")}
        figure={t("atLeast", { calls: format(quality.calls_at_least) })}
        note={t("span", { days: quality.days })}
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  /** Null if it may not be published. */
  readonly figure: string | null;
  readonly note?: string | null;
}

function Figure({ name, figure, note = null }: FigureProps) {
  const { t } = useTranslation("quality");
  return (
    <div>
      <dt>{name}</dt>
      {figure === null ? (
        <dd className="muted small">{t("tooFew")}</dd>
      ) : (
        <dd className={styles.figure}>
          <b>{figure}</b>
          {note !== null && <small>{note}</small>}
        </dd>
      )}
    </div>
  );
}

function Method() {
  const { t } = useTranslation("quality");
  const values = {
    ...{ calls: MIN_CALLS, customers: MIN_CUSTOMERS, most: MAX_CALLS_PER_CUSTOMER },
    ...{ short: REPORT_DAYS[0], long: REPORT_DAYS[1] },
  };
  return (
    <section className={ratesPageStyles.sec} aria-labelledby="how-we-measure">
      <h2 className="t-section" id="how-we-measure">
        {t("method.title")}
      </h2>
      <dl className={styles.method}>
        {METHOD.map((part) => (
          <div key={part}>
            <dt>{t(`method.${part}.title`)}</dt>
            <dd className="muted">{t(`method.${part}.text`, values)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A country of the page, with its figures if they may be published. */
interface Destination {
  readonly code: string;
  /** In the page's language. */
  readonly name: string;
  /** The path of its page; null if its calls are not sold. */
  readonly path: string | null;
  readonly quality: DestinationQuality | null;
}

const codeOf = ({ code }: Destination): string => code;

/** What a list is sorted by, the best first: higher comes first. */
const MERITS: Readonly<Record<Exclude<QualitySort, "country">, (quality: DestinationQuality) => number | null>> = {
  answered: ({ answered_percent: percent }) => percent,
  delay: ({ delay_median_seconds: seconds }) => (seconds === null ? null : -seconds),
  sound: ({ mos_median: mos }) => mos,
};

/** By name, or the best first; countries without the figure come last. */
function sortDestinations(destinations: readonly Destination[], sort: QualitySort, language: string): Destination[] {
  const { compare } = new Intl.Collator(language);
  const byName = destinations.toSorted((a, b) => compare(a.name, b.name));
  if (sort === "country") return byName;
  const meritOf = ({ quality }: Destination): number =>
    (quality === null ? null : MERITS[sort](quality)) ?? Number.NEGATIVE_INFINITY;
  return byName.toSorted((a, b) => {
    const [one, other] = [meritOf(a), meritOf(b)];
    return one === other ? 0 : other - one;
  });
}
