import type { MonthBooks } from "@farline/contract/operator/month.ts";
import { useMemo } from "react";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../chart/chart.tsx";
import { dayText, dollarsLine, dollarsText, secondsOf } from "../chart/figure-text.ts";

/** Top-ups and charges by day. Nothing for a month without any. */
export function MonthChart({ books: { days } }: { readonly books: MonthBooks }) {
  const { seconds, series } = useMemo(() => {
    const [topUps, charges] = [days.map((one) => one.top_ups), days.map((one) => one.charges)];
    return {
      seconds: days.map(({ day }) => secondsOf(day)),
      series: [dollarsLine("Top-ups", "--fl-star", topUps), dollarsLine("Charges", "--fl-call-text", charges)],
    };
  }, [days]);
  if (days.length === 0) return null;
  return (
    <Card>
      <Chart
        title="Top-ups and charges by day, US dollars"
        seconds={seconds}
        series={series}
        format={dollarsText}
        timeText={dayText}
      />
    </Card>
  );
}
