import { clockParts, zoneInForce } from "../shell/texts.ts";

/** What a bar says beside its height. `empty`: nothing happened, which is drawn; `unfinished`: its time is not over. */
export type BarMark = "strong" | "low" | "empty" | "unfinished";

/** One row of figures over the times of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** One for each time; null where there is no figure. */
  readonly values: readonly (number | null)[];
  /** A colour of `tokens.css`, which follows the theme. */
  readonly colour: `--fl-${string}`;
  /** `dashed`: a line to compare with, such as last week's; `steps`: each figure is in force until the next. Default: a line. */
  readonly look?: "line" | "dashed" | "bars" | "steps";
  /** Of bars. */
  readonly marks?: readonly (BarMark | null)[];
  /** Of bars: what was to be expected, drawn dashed. */
  readonly expected?: readonly (number | null)[];
}

/** What figures are in; it stands in the legend and on the axis. */
export type Unit = "dollars" | "rate" | "minutes" | "calls";

export interface ChartProps {
  /** Also its accessible name. */
  readonly title: string;
  /** What the drawing shows, in a sentence for those who do not see it. */
  readonly sentence: string;
  /** Shown below the drawing: what is remarkable. */
  readonly remark?: string | null;
  /** Ascending, as seconds since 1970. */
  readonly seconds: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly unit: Unit;
  /** Writes a time in the table and in the legend. */
  readonly timeText: (seconds: number) => string;
}

const DECIMALS: Readonly<Record<Unit, number>> = { dollars: 2, rate: 4, minutes: 0, calls: 0 };

/** A figure with its unit's own number of decimals, as in a table: "$1,942.18", "$0.0184", "21,604"; a dash for none. */
export function figureText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return "–";
  const decimals = DECIMALS[unit];
  const text = Math.abs(value).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const isMoney = unit === "dollars" || unit === "rate";
  return `${value < 0 ? "-" : ""}${isMoney ? "$" : ""}${text}`;
}

/** All figures of an axis with the same number of decimals, in thousands from 10,000 on: "$0", "$20k"; "$0.00", "$0.50". */
export function axisTexts(ticks: readonly number[], unit: Unit): string[] {
  const top = Math.max(...ticks.map(Math.abs), 0);
  const divisor = top >= 10_000 ? 1_000 : 1;
  const whole = ticks.every((tick) => Number.isInteger(tick / divisor));
  const decimals = whole ? 0 : unit === "rate" ? 4 : unit === "dollars" && divisor === 1 ? 2 : 1;
  const isMoney = unit === "dollars" || unit === "rate";
  return ticks.map((tick) => {
    const text = Math.abs(tick / divisor).toFixed(decimals);
    return `${tick < 0 ? "-" : ""}${isMoney ? "$" : ""}${text}${divisor > 1 && tick !== 0 ? "k" : ""}`;
  });
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** "Mon 2 Nov". @param date "2026-11-02" */
export function dateText(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  return `${WEEKDAYS[day.getUTCDay()]} ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`;
}

/** The date on the clock in force: "Mon 2 Nov". @param seconds since 1970 */
export function dayText(seconds: number): string {
  return dateText(clockParts(seconds * 1_000, zoneInForce()).date);
}

/** "Mon 2 Nov 18:00" on the clock in force. @param seconds since 1970 */
export function hourText(seconds: number): string {
  const { date, time } = clockParts(seconds * 1_000, zoneInForce());
  return `${dateText(date)} ${time.slice(0, 5)}`;
}

/** Seconds since 1970 of a time or a day in UTC. @param instant ISO 8601 */
export function secondsOf(instant: string): number {
  return Date.parse(instant) / 1_000;
}

/** A line of amounts. @param dollars decimal strings, null where there is none, rounded for the eye alone */
export function dollarsLine(name: string, colour: ChartSeries["colour"], dollars: readonly (string | null)[]): ChartSeries {
  return { name, colour, values: dollars.map((one) => (one === null ? null : Number(one))) };
}

/** The span, the highest and the lowest figure of a series as a sentence. */
export function rangeSentence({
  seconds,
  series,
  unit,
  timeText,
}: Pick<ChartProps, "seconds" | "series" | "unit" | "timeText">): string {
  const [first, last] = [seconds[0], seconds.at(-1)];
  if (first === undefined || last === undefined) return "There are no figures.";
  const span = `From ${timeText(first)} to ${timeText(last)}.`;
  const ranges = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no figures.`;
    return `${name}: lowest ${figureText(Math.min(...known), unit)}, highest ${figureText(Math.max(...known), unit)}.`;
  });
  return [span, ...ranges].join(" ");
}
