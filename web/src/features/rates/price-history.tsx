import type { PriceHistory, PriceLine, PriceStep } from "@farline/contract/public-pages.ts";
import { useTranslation } from "react-i18next";
import { fromDecimalString, type Micros, rateToDecimalString } from "@farline/domain/money.ts";
import { dateText } from "../../text/local-text.ts";
import { priceText } from "../../text/price-text.ts";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as ratesPageStyles from "./rates-page.module.css";
import * as styles from "./country-page.module.css";

/** How a country's prices have changed, by number type. */
export function PriceHistorySection({ history }: { readonly history: PriceHistory }) {
  const { t, i18n } = useTranslation("rates");
  const changed = history.lines.filter(({ steps }) => steps.length > 1);
  const unchanged = history.lines.filter(({ steps }) => steps.length === 1);
  if (history.lines.length === 0) return null;
  return (
    <section className={ratesPageStyles.sec} aria-labelledby="price-history">
      <h2 className="t-card" id="price-history">
        {t("country.history.title")}
      </h2>
      {changed.length > 0 && (
        <div className={styles.charts}>
          {changed.map((line) => (
            <PriceChart key={line.numberType} line={line} until={history.until} />
          ))}
        </div>
      )}
      {unchanged.map(({ numberType, steps }) => (
        <p key={numberType} className="muted">
          {t("country.history.unchanged", {
            type: t(`types.${numberType}`),
            date: dateText(steps[0]?.since ?? history.until, i18n.language),
          })}
        </p>
      ))}
    </section>
  );
}

function PriceChart({ line, until }: { readonly line: PriceLine; readonly until: string }) {
  const { t, i18n } = useTranslation("rates");
  const name = t("country.history.chart", { type: t(`types.${line.numberType}`) });
  const price = priceText(i18n.language);
  const drawing = drawSteps(line, until);
  return (
    <figure className={classNames(cardStyles.card, styles.chart)} aria-label={name}>
      <figcaption className="t-sub">{name}</figcaption>
      <div className={styles.plot} aria-hidden="true">
        <p className={classNames(styles.scale, "fig")}>
          <span>{price.rate(drawing.top)}</span>
          <span>{price.nothing(4)}</span>
        </p>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
          {drawing.band !== "" && <path className={styles.band} d={drawing.band} />}
          <path className={styles.line} d={drawing.line} />
        </svg>
        <p className={classNames(styles.axis, "fig")}>
          <span>{dateText(line.steps[0]?.since ?? until, i18n.language)}</span>
          <span>{t("country.history.today")}</span>
        </p>
      </div>
      <details className={styles.table}>
        <summary>{t("country.history.table")}</summary>
        <Steps steps={line.steps} name={name} />
      </details>
    </figure>
  );
}

/** The latest price first. */
function Steps({ steps, name }: { readonly steps: readonly PriceStep[]; readonly name: string }) {
  const { t, i18n } = useTranslation("rates");
  const { rate } = priceText(i18n.language);
  const written = ({ price }: PriceStep): string => {
    if (price === null) return t("country.history.notSold");
    if (price.lowest === price.highest) return rate(price.lowest);
    return t("country.range", { from: rate(price.lowest), to: rate(price.highest) });
  };
  return (
    <table className={cardStyles.figures}>
      <caption className="sr-only">{name}</caption>
      <thead>
        <tr>
          <th scope="col">{t("country.history.since")}</th>
          <th scope="col">{t("country.history.price")}</th>
        </tr>
      </thead>
      <tbody>
        {steps.toReversed().map((step) => (
          <tr key={step.since}>
            <th scope="row">{dateText(step.since, i18n.language)}</th>
            <td className="fig">{written(step)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Units of the drawing, which is scaled to the available space. */
const WIDTH = 240;
const HEIGHT = 60;
/** Keeps the line inside the drawing. */
const MARGIN = 3;
/** Least share of the width that the price in force takes, however new it is. */
const MIN_LAST_SHARE = 0.04;

interface StepDrawing {
  /** SVG path of the lowest price. */
  readonly line: string;
  /** SVG path of the areas from the lowest to the highest price; empty if each number costs the same. */
  readonly band: string;
  /** The price at the upper edge, in dollars. */
  readonly top: string;
}

/** Draws prices over time as steps, from zero up. Times without a price are gaps. */
export function drawSteps({ steps }: Pick<PriceLine, "steps">, until: PriceHistory["until"]): StepDrawing {
  const times = steps.map(({ since }) => Date.parse(since));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const end = Math.max(Date.parse(until), first + (last - first) / (1 - MIN_LAST_SHARE));
  const top = steps.reduce((most, { price }) => {
    const highest = price === null ? 0n : fromDecimalString(price.highest);
    return highest > most ? highest : most;
  }, 1n);
  const x = (time: number): number => rounded(((time - first) / (end - first || 1)) * WIDTH);
  const y = (price: string): number => rounded(HEIGHT - MARGIN - shareOf(fromDecimalString(price), top) * (HEIGHT - 2 * MARGIN));
  let line = "";
  let band = "";
  for (const [index, { price }] of steps.entries()) {
    if (price === null) continue;
    const [from, to] = [x(times[index] ?? first), x(times[index + 1] ?? end)];
    const [low, high] = [y(price.lowest), y(price.highest)];
    const isJoined = index > 0 && steps[index - 1]?.price !== null;
    line += `${isJoined ? `V${low}` : `M${from} ${low}`}H${to}`;
    if (low !== high) band += `M${from} ${low}H${to}V${high}H${from}Z`;
  }
  return { line, band, top: rateToDecimalString(top) };
}

/** For the eye alone, in thousandths. */
function shareOf(part: Micros, whole: Micros): number {
  return Number((1_000n * part) / whole) / 1_000;
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}
