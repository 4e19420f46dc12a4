import type { SummaryResponse } from "@farline/contract/call-history.ts";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCost, formatCount, formatMonth } from "../../text/format.ts";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { amountText, largestOf, type Measure, minutesOf, rankCountries, shareOf, sumOf } from "./usage.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./dashboard.module.css";
import { countryName } from "../../text/i18n.ts";

const MAX_COUNTRIES = 6;

/** Calls and spending of the last year, by month and by country. */
export function UsageCard({ summary }: { readonly summary: SummaryResponse }) {
  const { t } = useTranslation("dashboard");
  const [measure, setMeasure] = useState<Measure>("spend");
  if (summary.countries.length === 0) return null;
  return (
    <Card title={t("usage.title")} className={styles.usage} aside={<MeasureChoice measure={measure} onChoose={setMeasure} />}>
      <Charts summary={summary} measure={measure} />
    </Card>
  );
}

const MEASURES: readonly Measure[] = ["spend", "minutes"];

function MeasureChoice({ measure, onChoose }: { readonly measure: Measure; readonly onChoose: (measure: Measure) => void }) {
  const { t } = useTranslation("dashboard");
  return (
    <div className={styles.seg} role="group" aria-label={t("usage.show")}>
      {MEASURES.map((one) => (
        <button type="button" className={styles.measure} key={one} aria-pressed={one === measure} onClick={() => onChoose(one)}>
          {t(`usage.${one}`)}
        </button>
      ))}
    </div>
  );
}

function Charts({ summary, measure }: { readonly summary: SummaryResponse; readonly measure: Measure }) {
  const { t } = useTranslation("dashboard");
  return (
    <>
      <div className={styles.charts}>
        <MonthChart months={summary.months} measure={measure} />
        <CountryBars summary={summary} measure={measure} />
      </div>
      <details className={styles.table}>
        <summary>{t("usage.table")}</summary>
        <MonthTable months={summary.months} />
      </details>
    </>
  );
}

function CountryBars({ summary, measure }: { readonly summary: SummaryResponse; readonly measure: Measure }) {
  const { t } = useTranslation("dashboard");
  const id = useId();
  const amount = amountText(measure);
  const { first, others } = rankCountries(summary.countries, measure, MAX_COUNTRIES);
  const all = others === null ? first : [...first, others.usage];
  return (
    <section aria-labelledby={id}>
      <h3 className="t-sub" id={id}>
        {t("usage.byCountry")}
      </h3>
      <ol className={styles.cbars}>
        {first.map((country) => (
          <li key={country.country_code}>
            <span className={styles.name}>
              <Flag code={country.country_code} size="sm" />
              <span>{countryName(country.country_code, country.country_name)}</span>
            </span>
            <span className="fig">{amount(country)}</span>
            <Bar share={shareOf(country, all, measure)} />
          </li>
        ))}
        {others !== null && (
          <li>
            <span className={styles.name}>
              {t("usage.others", { count: others.count, formatted: formatCount(others.count) })}
            </span>
            <span className="fig">{amount(others.usage)}</span>
            <Bar share={shareOf(others.usage, all, measure)} />
          </li>
        )}
      </ol>
    </section>
  );
}

const BAR_UNITS = 1000;

function Bar({ share }: { readonly share: number }) {
  return (
    <svg
      className={styles.countryBar}
      viewBox={`0 0 ${BAR_UNITS} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect className={styles.track} width={BAR_UNITS} height="1" />
      <rect className={styles.fill} width={Math.round(share * BAR_UNITS)} height="1" />
    </svg>
  );
}

function MonthTable({ months }: { readonly months: SummaryResponse["months"] }) {
  const { t } = useTranslation("dashboard");
  return (
    <table className={cardStyles.figures}>
      <thead>
        <tr>
          <th scope="col">{t("usage.month")}</th>
          <th scope="col">{t("usage.calls")}</th>
          <th scope="col">{t("usage.minutes")}</th>
          <th scope="col">{t("usage.spend")}</th>
        </tr>
      </thead>
      <tbody>
        {months.toReversed().map((month) => (
          <tr key={month.month}>
            <th scope="row">{formatMonth(month.month, "long")}</th>
            <td>{formatCount(month.calls)}</td>
            <td>{formatCount(minutesOf(month))}</td>
            <td>{formatCost(month.spend)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface MonthChartProps {
  readonly months: SummaryResponse["months"];
  readonly measure: Measure;
}

/** Units of the drawing, which is scaled to the available space. */
const HEIGHT = 100;
const STEP = 10;
const BAR_WIDTH = 7;
/** Minimum bar height, so that a month with calls never looks empty. */
const MIN_HEIGHT = 2;

/**
 * A column for each month. The line above shows the total, or the month under the pointer; the figure at the top belongs to the
 * highest column. Screen readers get the table below instead.
 */
function MonthChart({ months, measure }: MonthChartProps) {
  const { t } = useTranslation("dashboard");
  const id = useId();
  const amount = amountText(measure);
  const [chosen, setChosen] = useState<string | null>(null);
  const month = months.find((one) => one.month === chosen);
  const shown = month ?? sumOf(months);
  const label = month === undefined ? t("usage.span", { count: months.length }) : formatMonth(month.month, "long");
  return (
    <section aria-labelledby={id}>
      <h3 className="t-sub" id={id}>
        {t("usage.byMonth")}
      </h3>
      <p className={styles.shown}>
        <strong className="fig">{amount(shown)}</strong>
        <span className="muted small">
          {`${label} · ${t("usage.callsValue", { count: shown.calls, formatted: formatCount(shown.calls) })}`}
        </span>
      </p>
      <div className={styles.mchart} aria-hidden="true" onPointerLeave={() => setChosen(null)}>
        <p className={classNames(styles.largest, "fig")}>{amount(largestOf(months, measure))}</p>
        <svg viewBox={`0 0 ${months.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
          {months.map((one, index) => {
            const height = one.calls === 0 ? 0 : Math.max(MIN_HEIGHT, Math.round(shareOf(one, months, measure) * HEIGHT));
            const x = index * STEP + (STEP - BAR_WIDTH) / 2;
            return (
              <g key={one.month} onPointerEnter={() => setChosen(one.month)}>
                <rect className={styles.hit} x={index * STEP} width={STEP} height={HEIGHT} />
                <rect
                  className={one.month === chosen ? classNames(styles.monthBar, styles.chosenBar) : styles.monthBar}
                  x={x}
                  y={HEIGHT - height}
                  width={BAR_WIDTH}
                  height={height}
                />
              </g>
            );
          })}
        </svg>
        <ol className={styles.axis}>
          {months.map((one) => (
            <li key={one.month}>{formatMonth(one.month, "narrow")}</li>
          ))}
        </ol>
      </div>
    </section>
  );
}
