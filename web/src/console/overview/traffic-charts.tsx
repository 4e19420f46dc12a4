import type { OverviewHours } from "@farline/contract/operator/overview.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Card } from "../../ui/card.tsx";
import * as styles from "../console.module.css";
import { Chart } from "../chart/chart.tsx";
import { type BarMark, type ChartProps, dateText, dayText, hourText, rangeSentence } from "../chart/chart-texts.ts";
import { daysOf, expectedOf, type Hours, isLow, usualAt } from "../chart/hours.ts";
import { consoleRequest } from "../console-request.ts";
import { FRAME } from "../shell/freshness.tsx";
import { Loaded } from "../shell/figures.tsx";

const QUERY = ["overview-hours"];
const READ_EVERY_MS = 60_000;
const [DAYS, DAYS_BY_HOUR] = [30, 3];
const HOUR_S = 3_600;
const MINUTE_S = 60;
const WEEKEND = [0, 6];

/** Minutes talked in the last 30 days, and calls by the hour of the last three. */
export function TrafficCharts({ zone }: { readonly zone: string }) {
  const client = useQueryClient();
  const read = useQuery({
    queryKey: QUERY,
    queryFn: () => consoleRequest("GET /api/operator/overview/hours", { unattended: client.getQueryData(QUERY) !== undefined }),
    refetchInterval: READ_EVERY_MS,
    // The figures above say how old the page is; these change once a minute.
    meta: FRAME,
  });
  return (
    <Loaded of={read} failure="The traffic could not be read">
      {(hours) => <Charts hours={hours} zone={zone} />}
    </Loaded>
  );
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

/** Each day as a bar: weekends darker, days without a call marked, today hatched below what is expected of it. */
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
        name: "Talked (weekends darker)",
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
