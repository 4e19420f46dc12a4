import { lazy, Suspense, useState } from "react";
import { loadPart } from "../../session/load-part.ts";
import { DataTable } from "../shell/figures.tsx";
import { zoneInForce } from "../shell/texts.ts";
import * as styles from "../console.module.css";
import { type ChartProps, figureText, type Unit } from "./chart-texts.ts";

const Drawing = lazy(() => loadPart(async () => ({ default: (await import("./drawing.tsx")).Drawing })));

/** After the name of a series; calls are counted, and the name says so. */
const UNITS: Readonly<Record<Unit, string>> = { dollars: ", $", rate: ", $ a minute", minutes: ", min", calls: "" };

/** Figures over time, drawn as lines or bars from zero, from left to right in every language, with the same figures as a table. */
export function Chart({ title, sentence, remark = null, seconds, series, unit, timeText }: ChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const pointed = at === null ? undefined : seconds[at];
  const expected = series.find((one) => one.expected !== undefined)?.expected;
  return (
    <figure className={styles.chart} aria-label={title} dir="ltr">
      <figcaption className={styles.chartHead}>
        <h2 className={styles.chartTitle}>{title}</h2>
        <ul className={styles.legend} aria-hidden="true">
          {pointed !== undefined && <li>{timeText(pointed)}</li>}
          {series.map(({ name, colour, values, look }) => (
            <li key={name}>
              <i data-look={look} style={{ color: `var(${colour})` }} />
              <span>{pointed === undefined ? `${name}${UNITS[unit]}` : `${name} ${figureText(values[at ?? 0], unit)}`}</span>
            </li>
          ))}
          {expected !== undefined && (
            <li>
              <i data-look="expected" />
              <span>{pointed === undefined ? "usual" : `usual ${figureText(expected[at ?? 0], unit)}`}</span>
            </li>
          )}
        </ul>
      </figcaption>
      <p className="sr-only">{sentence}</p>
      <Suspense fallback={<div className={styles.plotPlace} />}>
        <Drawing seconds={seconds} series={series} unit={unit} onPoint={setAt} />
      </Suspense>
      {remark !== null && <p className={styles.remark}>{remark}</p>}
      <details>
        <summary>Figures as a table</summary>
        <DataTable
          label={title}
          head={[`Time (${zoneInForce()})`, ...series.map(({ name }) => `${name}${UNITS[unit]}`), ...(expected ? ["Usual"] : [])]}
          rows={seconds.map((time, index) => [
            timeText(time),
            ...series.map(({ values }) => figureText(values[index], unit)),
            ...(expected ? [figureText(expected[index], unit)] : []),
          ])}
        />
      </details>
    </figure>
  );
}
