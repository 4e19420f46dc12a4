import type { SummaryResponse } from "@farline/contract/call-history.ts";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatMonth } from "../../text/format.ts";
import { amountText } from "./amount-text.ts";
import { largestOf, type Measure, shareOf, sumOf } from "./usage.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./dashboard.module.css";

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
export function MonthChart({ months, measure }: MonthChartProps) {
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
