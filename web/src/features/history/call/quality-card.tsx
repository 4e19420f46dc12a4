import type { CallDetailsResponse, QualitySample } from "@farline/contract/call-details.ts";
import { useTranslation } from "react-i18next";
import { formatCount, formatTimer } from "../../../text/format.ts";
import { formatDecimal } from "../../../text/statement-format.ts";
import { qualityBand } from "../../../phone/quality/call-quality.ts";
import { classNames } from "../../../ui/class-names.ts";
import { ValueList } from "../../../ui/value-list.tsx";
import * as styles from "./call-page.module.css";
import * as cardStyles from "../../../ui/card.module.css";

const LOWEST_SCORE = 1;
const HIGHEST_SCORE = 4.5;
/** Units of the drawing, which is scaled to the available space. */
const WIDTH = 240;
const HEIGHT = 60;
/** Boundaries between the bands, from good to poor. */
const BAND_ENDS = [4.2, 3.6, 3.0] as const;

/** Quality of the call: over time as measured by the browser, and the packets that reached the exchange from each side. */
export function Quality({ quality }: { readonly quality: CallDetailsResponse["quality"] }) {
  const { t } = useTranslation("history");
  const { samples, from_caller: fromCaller, from_called: fromCalled } = quality;
  return (
    <div className={styles.tech}>
      {samples.length === 0 ? <p className="muted">{t("quality.none")}</p> : <Heard samples={samples} />}
      {(fromCaller !== null || fromCalled !== null) && (
        <ValueList
          valueClass="fig"
          of={[
            { name: t("quality.fromYou"), value: fromCaller && formatCount(fromCaller.packets) },
            { name: t("quality.fromThem"), value: fromCalled && formatCount(fromCalled.packets) },
          ]}
        />
      )}
    </div>
  );
}

function Heard({ samples }: { readonly samples: readonly QualitySample[] }) {
  const { t } = useTranslation("history");
  const mean = samples.reduce((sum, { mos }) => sum + mos, 0) / samples.length;
  const lowest = samples.reduce((low, sample) => (sample.mos < low.mos ? sample : low));
  return (
    <>
      <p>
        {t("quality.summary", {
          band: t(`quality.${qualityBand(mean)}`),
          score: formatDecimal(mean),
          lowest: formatDecimal(lowest.mos),
          time: formatTimer(lowest.t),
        })}
      </p>
      <Curve samples={samples} />
      <details className={styles.table}>
        <summary>{t("quality.table")}</summary>
        <Figures samples={samples} />
      </details>
    </>
  );
}

/** The score over time. The sentence above and the table below give the same in words. */
function Curve({ samples }: { readonly samples: readonly QualitySample[] }) {
  const first = samples[0]?.t ?? 0;
  const last = samples.at(-1)?.t ?? 0;
  const x = (t: number) => (last === first ? WIDTH / 2 : ((t - first) / (last - first)) * WIDTH);
  const points = samples.map(({ t, mos }) => `${round(x(t))},${round(heightOf(mos))}`);
  return (
    <div className={styles.plot} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
        {BAND_ENDS.map((score) => (
          <line className={styles.band} key={score} x1="0" x2={WIDTH} y1={heightOf(score)} y2={heightOf(score)} />
        ))}
        {samples.length === 1 ? (
          <line
            className={styles.curve}
            x1="0"
            x2={WIDTH}
            y1={heightOf(samples[0]?.mos ?? 1)}
            y2={heightOf(samples[0]?.mos ?? 1)}
          />
        ) : (
          <polyline className={styles.curve} points={points.join(" ")} />
        )}
      </svg>
      <p className={classNames(styles.axis, "fig")}>
        <span>{formatTimer(first)}</span>
        <span>{formatTimer(last)}</span>
      </p>
    </div>
  );
}

function Figures({ samples }: { readonly samples: readonly QualitySample[] }) {
  const { t } = useTranslation("history");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll container must be reachable by keyboard
    <div className={styles.scroll} role="region" aria-label={t("quality.table")} tabIndex={0}>
      <table className={cardStyles.figures}>
        <thead>
          <tr>
            <th scope="col">{t("quality.time")}</th>
            <th scope="col">{t("quality.score")}</th>
            <th scope="col">{t("quality.delay")}</th>
            <th scope="col">{t("quality.loss")}</th>
          </tr>
        </thead>
        <tbody>
          {samples.map((sample) => (
            <tr key={sample.t}>
              <th scope="row">{formatTimer(sample.t)}</th>
              <td>{formatDecimal(sample.mos)}</td>
              <td>
                {sample.rttMs === null ? "–" : t("quality.milliseconds", { formatted: formatCount(Math.round(sample.rttMs)) })}
              </td>
              <td>{t("quality.percent", { formatted: formatDecimal(sample.lossPct) })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function heightOf(score: number): number {
  const part = (Math.min(score, HIGHEST_SCORE) - LOWEST_SCORE) / (HIGHEST_SCORE - LOWEST_SCORE);
  return round((1 - part) * HEIGHT);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
