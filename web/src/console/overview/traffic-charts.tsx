import type { OverviewHours } from "@farline/contract/operator/overview.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Card } from "../../ui/card.tsx";
import * as styles from "../console.module.css";
import { Chart } from "../chart/chart.tsx";
import { type BarMark, type ChartProps, dateText, dayText, figureText, hourText, rangeSentence } from "../chart/chart-texts.ts";
import { type ClockDay, daysOf, expectedOf, type Hours, isLow, usualAt } from "../chart/hours.ts";
import { consoleRequest } from "../console-request.ts";
import { FRAME } from "../shell/freshness.tsx";
import { Loaded } from "../shell/figures.tsx";
import { clockParts } from "../shell/texts.ts";

const QUERY = ["overview-hours"];
const READ_EVERY_MS = 60_000;
const [DAYS, DAYS_BY_HOUR] = [30, 3];
const HOUR_S = 3_600;
const HOUR_MS = HOUR_S * 1_000;
const MINUTE_S = 60;
const WEEKEND = [0, 6];

/** Calls, minutes and money of the last 32 days by the hour, read once a minute for all that draws them. */
function useHours() {
  const client = useQueryClient();
  return useQuery({
    queryKey: QUERY,
    queryFn: () => consoleRequest("GET /api/operator/overview/hours", { unattended: client.getQueryData(QUERY) !== undefined }),
    refetchInterval: READ_EVERY_MS,
    // The figures above say how old the page is; these change once a minute.
    meta: FRAME,
  });
}

/** Minutes talked in the last 30 days, and calls by the hour of the last three. */
export function TrafficCharts({ zone }: { readonly zone: string }) {
  const read = useHours();
  return (
    <Loaded of={read} failure="The traffic could not be read">
      {(hours) => <Charts hours={hours} zone={zone} />}
    </Loaded>
  );
}

/** A figure whose hours are known. */
export type SparkOf = "minutes" | "revenue" | "margin" | "answered";

const [SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE] = [96, 24, 3];
const DAYS_A_WEEK = 7;
const HOURS_A_DAY = 24;

/** The hours of today as a line, and dotted those of the same day a week ago. */
export function Spark({ of, zone }: { readonly of: SparkOf; readonly zone: string }) {
  const { data } = useHours();
  const lines = useMemo(() => (data === undefined ? null : sparkLines(data, of, zone)), [data, of, zone]);
  if (lines === null) return null;
  const { today, weekAgo } = lines;
  const values = [...today, ...weekAgo].map(({ value }) => value);
  const [floor, top] = [Math.min(0, ...values), Math.max(...values)];
  const current = today.at(-1);
  if (top <= floor || current === undefined) return null;
  const step = (SPARK_WIDTH - 2 * SPARK_EDGE) / (HOURS_A_DAY - 1);
  const placeOf = ({ value, time }: SparkPoint) => {
    const height = ((value - floor) / (top - floor)) * (SPARK_HEIGHT - 2 * SPARK_EDGE);
    return [SPARK_EDGE + Number(time.slice(0, 2)) * step, SPARK_HEIGHT - SPARK_EDGE - height] as const;
  };
  const points = (line: readonly SparkPoint[]) => line.map((point) => placeOf(point).join(",")).join(" ");
  const [x, y] = placeOf(current);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      preserveAspectRatio="xMinYMid"
      role="img"
      aria-label={sparkText(of, lines)}
    >
      <polyline points={points(weekAgo)} strokeDasharray="0.5 2.5" strokeWidth="1" />
      <polyline points={points(today)} strokeWidth="1.5" />
      <circle cx={x} cy={y} r={SPARK_EDGE - 0.5} />
    </svg>
  );
}

interface SparkPoint {
  readonly value: number;
  /** When its hour begins on the operator's clock: "09:30". */
  readonly time: string;
}

interface SparkLines {
  readonly today: readonly SparkPoint[];
  readonly weekAgo: readonly SparkPoint[];
}

/** One figure by the hour, of today and of the same day a week ago; null for what the operator's role may not see. */
export function sparkLines(hours: OverviewHours, of: SparkOf, zone: string): SparkLines | null {
  const { calls, answered, seconds } = hours;
  const values = {
    minutes: seconds.map((one) => one / MINUTE_S),
    revenue: hours.revenue.map(Number),
    margin: hours.margin?.map(Number) ?? null,
    answered: calls.map((count, hour) => (count === 0 ? 0 : (100 * (answered[hour] ?? 0)) / count)),
  }[of];
  if (values === null) return null;
  const fromMs = Date.parse(hours.from);
  const days = daysOf({ fromMs, values }, zone, DAYS_A_WEEK + 1);
  const ofDay = ({ first, hours: count }: ClockDay) =>
    values.slice(first, first + count).map((value, index): SparkPoint => {
      const { time } = clockParts(fromMs + (first + index) * HOUR_MS, zone);
      return { value, time: time.slice(0, 5) };
    });
  const [today, weekAgo] = [days.at(-1), days.at(-1 - DAYS_A_WEEK)];
  return { today: today === undefined ? [] : ofDay(today), weekAgo: weekAgo === undefined ? [] : ofDay(weekAgo) };
}

/** The highest figure of each line and its hour, for those who do not see the drawing. */
export function sparkText(of: SparkOf, { today, weekAgo }: SparkLines): string {
  const unit = of === "minutes" ? ("minutes" as const) : ("dollars" as const);
  const peak = (line: readonly SparkPoint[]) => {
    const most = Math.max(...line.map(({ value }) => value));
    const time = line.find(({ value }) => value === most)?.time;
    return `${of === "answered" ? `${most.toFixed(1)} %` : figureText(most, unit)} at ${time}`;
  };
  const before = weekAgo.length === 0 ? "" : `, a week ago ${peak(weekAgo)}`;
  return `By the hour: at most ${peak(today)}${before}.`;
}

function Charts({ hours, zone }: { readonly hours: OverviewHours; readonly zone: string }) {
  const [days, byHour] = useMemo(() => {
    const fromMs = Date.parse(hours.from);
    return [
      daysChart({ fromMs, values: hours.seconds.map((seconds) => seconds / MINUTE_S) }, zone),
      hoursChart({ fromMs, values: hours.calls }, zone),
    ];
  }, [hours, zone]);
  return (
    <>
      <Card className={styles.broad}>
        <Chart {...days} />
      </Card>
      <Card>
        <Chart {...byHour} />
      </Card>
    </>
  );
}

/** Each day as a bar: weekends bold, days without a call marked, today hatched below what is expected of it. */
export function daysChart(hours: Hours, zone: string): ChartProps {
  const days = daysOf(hours, zone, DAYS);
  const today = days.at(-1);
  const began = days.findIndex(({ sum }) => sum > 0);
  const empty = days.filter(({ sum }, index) => sum === 0 && index > began && began >= 0 && index < days.length - 1);
  const marks = days.map((day, index): BarMark | null => {
    if (index === days.length - 1) return "unfinished";
    if (empty.includes(day)) return "empty";
    return WEEKEND.includes(new Date(`${day.date}T00:00:00Z`).getUTCDay()) ? "strong" : null;
  });
  const expected = today === undefined ? null : expectedOf(hours, today, zone);
  const chart = {
    title: `Minutes talked, ${DAYS} days`,
    seconds: days.map(({ first }) => hours.fromMs / 1_000 + first * HOUR_S),
    series: [
      {
        name: "Talked (weekends bold)",
        colour: "--fl-text-subtle" as const,
        look: "bars" as const,
        values: days.map(({ sum }) => Math.round(sum)),
        marks,
        expected: days.map((_, index) => (index === days.length - 1 && expected !== null ? Math.round(expected) : null)),
      },
    ],
    unit: "minutes" as const,
    timeText: dayText,
  };
  const remark = empty.length === 0 ? null : `No calls: ${empty.map(({ date }) => dateText(date)).join(", ")}.`;
  const now =
    today === undefined || expected === null
      ? ""
      : ` Today so far ${Math.round(today.sum)} of about ${Math.round(expected)} minutes.`;
  return { ...chart, remark, sentence: `${rangeSentence(chart)} ${remark ?? "No day was without calls."}${now}` };
}

/** Each hour of three days as a bar, beside what is usual; far fewer calls than usual today are marked. */
export function hoursChart(hours: Hours, zone: string): ChartProps {
  const first = daysOf(hours, zone, DAYS_BY_HOUR)[0]?.first ?? 0;
  const values = hours.values.slice(first);
  const usual = values.map((_, index) => usualAt(hours, first + index, zone));
  const secondsAt = (index: number) => hours.fromMs / 1_000 + (first + index) * HOUR_S;
  const low = values.flatMap((value, index) => (index < values.length - 1 && isLow(value, usual[index] ?? null) ? [index] : []));
  const chart = {
    title: `Calls by the hour, ${DAYS_BY_HOUR} days`,
    seconds: values.map((_, index) => secondsAt(index)),
    series: [
      {
        name: "Calls",
        colour: "--fl-text-subtle" as const,
        look: "bars" as const,
        values,
        marks: values.map((_, index): BarMark | null =>
          index === values.length - 1 ? "unfinished" : low.includes(index) ? "low" : null,
        ),
        expected: usual.map((one) => (one === null ? null : Math.round(one))),
      },
    ],
    unit: "calls" as const,
    timeText: hourText,
  };
  const remark =
    low.length === 0 ? null : `Far fewer calls than usual: ${low.map((index) => hourText(secondsAt(index))).join(", ")}.`;
  return { ...chart, remark, sentence: `${rangeSentence(chart)} ${remark ?? "No hour was far below what is usual."}` };
}
