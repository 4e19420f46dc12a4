import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { useEffect, useRef, useSyncExternalStore } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { DataTable } from "../shell/figures.tsx";
import * as styles from "../console.module.css";

/** One row of figures over the times of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** One for each time; null where there is no figure. */
  readonly values: readonly (number | null)[];
  /** A colour of `tokens.css`, which follows the theme. */
  readonly colour: `--fl-${string}`;
  /** `dashed`: a line to compare with, such as last week's; `steps`: each figure is in force until the next. Default: a line. */
  readonly look?: "line" | "dashed" | "bars" | "steps";
}

interface ChartProps {
  /** Also its accessible name. */
  readonly title: string;
  /** Ascending, as seconds since 1970. */
  readonly seconds: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Writes a figure, in the legend and on the axis. */
  readonly format: (value: number) => string;
  /** Writes a time in the table. */
  readonly timeText: (seconds: number) => string;
}

const DARK = "(prefers-color-scheme: dark)";
/** Shown on either side of a single time. */
const DAYS_BESIDE_ONE = 3;
const HEIGHT = 240;
const AXIS_WIDTH = 64;
const LINE_WIDTH = 2;
const DASHES = [6, 5];
/** The least top of a chart: below it, figures with two decimals would be the same at every line. */
const MIN_TOP = 0.05;
/** Share of a time's width that its bar takes, and its greatest width. */
const BARS: UPlot.Series.BarsPathBuilderOpts = { size: [0.7, 40] };

/** Figures over time (UTC), drawn as lines or bars from zero, with the same figures as a table. */
export function Chart({ title, seconds, series, format, timeText }: ChartProps) {
  const isDark = useSyncExternalStore(watchDark, readDark);
  return (
    <figure className={styles.chart} aria-label={title}>
      <figcaption className={styles.chartTitle}>{title}</figcaption>
      <Drawing key={isDark ? "dark" : "light"} seconds={seconds} series={series} format={format} />
      <details>
        <summary>Figures as a table</summary>
        <DataTable
          label={title}
          head={["Time (UTC)", ...series.map(({ name }) => name)]}
          rows={seconds.map((time, index) => [timeText(time), ...series.map(({ values }) => written(values[index], format))])}
        />
      </details>
    </figure>
  );
}

/** The canvas. Its colours are read once, so another theme needs another drawing. */
function Drawing({ seconds, series, format }: Pick<ChartProps, "seconds" | "series" | "format">) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const data: UPlot.AlignedData = [[...seconds], ...series.map(({ values }) => [...values])];
    const plot = new UPlot(optionsOf(series, format, element.clientWidth), data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [seconds, series, format]);
  return <div ref={place} className={styles.plot} aria-hidden="true" />;
}

function optionsOf(series: readonly ChartSeries[], format: ChartProps["format"], width: number): UPlot.Options {
  const hasBars = series.some(({ look }) => look === "bars");
  return {
    width,
    height: HEIGHT,
    tzDate: (time) => UPlot.tzDate(new Date(time * 1_000), "Etc/UTC"),
    scales: {
      x: { range: (plot, from, to) => (hasBars || plot.data[0].length < 2 ? widened(plot) : [from, to]) },
      y: {
        range: (_plot, least, most) => UPlot.rangeNum(Math.min(least ?? 0, 0), most ? Math.max(most, MIN_TOP) : 1, 0.1, true),
      },
    },
    axes: [
      { ...axis(), values: (...given) => given[1].map((time) => tickText(time, given[4])) },
      { ...axis(), size: AXIS_WIDTH, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [{ value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...series.map((one) => seriesOptions(one, format))],
    cursor: { drag: { x: false, y: false } },
  };
}

/** A day, or a time of day where days are far apart. */
function tickText(time: number, stepSeconds: number): string {
  const text = new Date(time * 1_000).toISOString();
  return stepSeconds >= DAY_SECONDS ? text.slice(5, 10) : text.slice(11, 16);
}

/** Makes room for half a bar at either end, and for a single time, which uPlot would place in a span of years. */
function widened({ data: [times] }: UPlot): UPlot.Range.MinMax {
  const from = times[0] ?? 0;
  const to = times.at(-1) ?? from;
  const half = times.length > 1 ? (to - from) / (times.length - 1) / 2 : DAYS_BESIDE_ONE * DAY_SECONDS;
  return [from - half, to + half];
}

function seriesOptions({ name, colour, look = "line" }: ChartSeries, format: ChartProps["format"]): UPlot.Series {
  const stroke = token(colour);
  const shared = {
    label: name,
    stroke,
    width: LINE_WIDTH,
    value: (_plot: UPlot, value: number | null) => written(value, format),
  };
  if (look === "line") return shared;
  if (look === "dashed") return { ...shared, dash: DASHES, points: { show: false } };
  if (look === "steps") return { ...shared, ...drawnBy(UPlot.paths.stepped?.({ align: 1 })) };
  return { ...shared, width: 0, fill: stroke, points: { show: false }, ...drawnBy(UPlot.paths.bars?.(BARS)) };
}

function drawnBy(paths: UPlot.Series.PathBuilder | undefined): Pick<UPlot.Series, "paths"> {
  return paths === undefined ? {} : { paths };
}

function axis(): UPlot.Axis {
  const lines = { stroke: token("--fl-line"), width: 1 };
  return { stroke: token("--fl-text-muted"), font: `13px ${token("--fl-font")}`, grid: lines, ticks: lines };
}

function written(value: number | null | undefined, format: ChartProps["format"]): string {
  return value === null || value === undefined ? "–" : format(value);
}

/** A token's value under the theme in force; canvases know no custom properties. */
function token(name: `--fl-${string}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function readDark(): boolean {
  return window.matchMedia(DARK).matches;
}

function watchDark(changed: () => void): () => void {
  const query = window.matchMedia(DARK);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

/** Seconds since 1970 of a time or a day in UTC. @param instant ISO 8601 */
export function secondsOf(instant: string): number {
  return Date.parse(instant) / 1_000;
}

/** "2026-11-26" */
export function dayText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

/** Rounded to cents, in thousands from 10,000 on: "12.50", "-3.00", "120k". */
export function dollarsText(dollars: number): string {
  return Math.abs(dollars) >= 10_000 ? `${Math.round(dollars / 1_000)}k` : dollars.toFixed(2);
}

/** A line of amounts. @param dollars decimal strings, null where there is none, rounded for the eye alone */
export function dollarsLine(name: string, colour: ChartSeries["colour"], dollars: readonly (string | null)[]): ChartSeries {
  return { name, colour, values: dollars.map((one) => (one === null ? null : Number(one))) };
}
