import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useMedia } from "../../browser/use-media.ts";
import { clockParts, zoneInForce } from "../shell/texts.ts";
import * as styles from "../console.module.css";
import { axisTexts, type BarMark, type ChartProps, type ChartSeries, dayText } from "./chart-texts.ts";

interface DrawingProps extends Pick<ChartProps, "seconds" | "series" | "unit"> {
  /** Called with the time that the pointer is at; null for none. */
  readonly onPoint: (index: number | null) => void;
}

const DARK = "(prefers-color-scheme: dark)";
/** Shown on either side of a single time. */
const DAYS_BESIDE_ONE = 3;
const HEIGHT = 220;
const [AXIS_WIDTH, DATE_HEIGHT] = [56, 28];
/** Between the dates of the axis, so that they do not touch. */
const DATE_WIDTH = 84;
const LINE_WIDTH = 2;
const DASHES = [6, 5];
/** The least top of a chart: below it, figures with two decimals would be the same at every line. */
const MIN_TOP = 0.05;
/** Share of a time's width that its bar takes, its greatest width, and the height of an empty bar's mark. */
const [BAR_SHARE, MAX_BAR, EMPTY_HEIGHT] = [0.66, 40, 6];
const HATCH = 5;
/** Between the lines of an axis of what is counted: there is no half call. */
const WHOLE_STEPS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((one) => [one, 2 * one, 5 * one]);

/** The canvas. Its colours are read once, so another theme needs another drawing. */
export function Drawing(props: DrawingProps) {
  const isDark = useMedia(DARK);
  return <Canvas key={isDark ? "dark" : "light"} {...props} />;
}

function Canvas({ seconds, series, unit, onPoint }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const data: UPlot.AlignedData = [[...seconds], ...series.map(({ values }) => [...values])];
    const plot = new UPlot(optionsOf({ seconds, series, unit, onPoint }, element.clientWidth), data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [seconds, series, unit, onPoint]);
  return <div ref={place} className={styles.plotPlace} aria-hidden="true" />;
}

function optionsOf({ seconds, series, unit, onPoint }: DrawingProps, width: number): UPlot.Options {
  const bars = series.find(({ look }) => look === "bars");
  const top = Math.max(
    MIN_TOP,
    ...series.flatMap(({ values, expected = [] }) => [...values, ...expected]).map((one) => one ?? 0),
  );
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    scales: {
      x: { range: (plot, from, to) => (bars !== undefined || plot.data[0].length < 2 ? widened(plot) : [from, to]) },
      y: { range: (_plot, least) => UPlot.rangeNum(Math.min(least ?? 0, 0), top, 0.1, true) },
    },
    axes: [
      {
        ...axis(),
        size: DATE_HEIGHT,
        grid: { show: false },
        splits: (plot) => datesOf(seconds, plot),
        values: (_plot, times) => times.map(tickText),
      },
      {
        ...axis(),
        size: AXIS_WIDTH,
        values: (_plot, ticks) => axisTexts(ticks, unit),
        ...(unit === "calls" && { incrs: WHOLE_STEPS }),
      },
    ],
    series: [{}, ...series.map(seriesOptions)],
    cursor: { drag: { x: false, y: false }, points: { show: bars === undefined } },
    hooks: {
      setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)],
      draw: bars === undefined ? [] : [(plot) => paintBars(plot, bars)],
    },
  };
}

/** The times that the axis names: Mondays of days, every sixth hour of hours, as many as fit. */
function datesOf(seconds: readonly number[], { bbox }: UPlot): number[] {
  const [first = 0, second = first] = seconds;
  const byDay = second - first >= DAY_SECONDS / 2;
  const zone = zoneInForce();
  const named = seconds.filter((time) => {
    const { date, time: clock } = clockParts(time * 1_000, zone);
    return byDay ? seconds.length < 10 || new Date(`${date}T00:00:00Z`).getUTCDay() === 1 : Number(clock.slice(0, 2)) % 6 === 0;
  });
  const room = Math.max(1, Math.floor(bbox.width / devicePixelRatio / DATE_WIDTH));
  const step = Math.ceil(named.length / room);
  return (named.length === 0 ? [...seconds] : named).filter((_, index) => index % step === 0);
}

/** A date at midnight, else the hour. */
function tickText(seconds: number): string {
  const { time } = clockParts(seconds * 1_000, zoneInForce());
  return time === "00:00:00" || time === "00:30:00" ? dayText(seconds) : time.slice(0, 5);
}

/** Makes room for half a bar at either end, and for a single time, which uPlot would place in a span of years. */
function widened({ data: [times] }: UPlot): UPlot.Range.MinMax {
  const from = times[0] ?? 0;
  const to = times.at(-1) ?? from;
  const half = times.length > 1 ? (to - from) / (times.length - 1) / 2 : DAYS_BESIDE_ONE * DAY_SECONDS;
  return [from - half, to + half];
}

function seriesOptions({ name, colour, look = "line" }: ChartSeries): UPlot.Series {
  const shared = { label: name, stroke: token(colour), width: LINE_WIDTH };
  if (look === "line") return shared;
  if (look === "dashed") return { ...shared, dash: DASHES, points: { show: false } };
  if (look === "bars") return { ...shared, points: { show: false }, paths: () => null };
  const paths = UPlot.paths.stepped?.({ align: 1 });
  return paths === undefined ? shared : { ...shared, paths };
}

/** Bars with their marks: weekends bold, low ones orange, empty ones a hollow mark, unfinished ones hatched, what was expected dashed. */
function paintBars(plot: UPlot, { values, marks = [], expected = [], colour }: ChartSeries): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const width = Math.min((bbox.width / values.length) * BAR_SHARE, MAX_BAR * ratio);
  const floor = plot.valToPos(0, "y", true);
  const [usual, strong, warn] = [token(colour), token("--fl-text"), token("--fl-warn")];
  const fills: Readonly<Record<BarMark, string | CanvasPattern>> = {
    strong,
    low: warn,
    empty: warn,
    unfinished: hatch(ctx, strong),
  };
  ctx.save();
  ctx.lineWidth = ratio;
  values.forEach((value, index) => {
    const left = plot.valToPos(plot.data[0][index] ?? 0, "x", true) - width / 2;
    const box = (height: number): [number, number, number, number] => [left, floor - height, width, height];
    const heightOf = (figure: number) => floor - plot.valToPos(figure, "y", true);
    const mark = marks[index] ?? null;
    const usually = expected[index] ?? null;
    if (usually !== null) {
      ctx.strokeStyle = mark === "low" ? warn : token("--fl-line-strong");
      ctx.setLineDash([2 * ratio, 2 * ratio]);
      ctx.strokeRect(...box(heightOf(usually)));
      ctx.setLineDash([]);
    }
    if (mark === "empty") {
      ctx.strokeStyle = warn;
      ctx.strokeRect(...box(EMPTY_HEIGHT * ratio));
    } else if (value !== null) {
      ctx.fillStyle = mark === null ? usual : fills[mark];
      ctx.fillRect(...box(heightOf(value)));
    }
  });
  ctx.restore();
}

function hatch(ctx: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const size = HATCH * devicePixelRatio;
  const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const brush = tile.getContext("2d");
  if (brush === null) return colour;
  brush.strokeStyle = colour;
  brush.lineWidth = size / 3;
  for (const shift of [-size, 0, size]) {
    brush.moveTo(shift, size);
    brush.lineTo(shift + size, 0);
  }
  brush.stroke();
  return ctx.createPattern(tile, "repeat") ?? colour;
}

function axis(): UPlot.Axis {
  const lines = { stroke: token("--fl-line"), width: 1 };
  return { stroke: token("--fl-text-muted"), font: `12px ${token("--fl-font")}`, grid: lines, ticks: { show: false } };
}

/** A token's value under the theme in force; canvases know no custom properties. */
function token(name: `--fl-${string}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
