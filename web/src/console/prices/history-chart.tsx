import type { PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { useMemo } from "react";
import { Chart, type ChartSeries } from "../chart/chart.tsx";
import { dayText, dollarsLine, secondsOf } from "../chart/figure-text.ts";

type Periods = PriceHistoryResponse["periods"];

/** The number types in the chart, with what operators read. */
const TYPES = [
  { type: "mobile", name: "Mobile", price: "--fl-star", cost: "--fl-end-text" },
  { type: "landline", name: "Landline", price: "--fl-call-text", cost: "--fl-info" },
  { type: "fixed_or_mobile", name: "Landline or mobile", price: "--fl-star", cost: "--fl-end-text" },
] as const;
const rateText = (dollars: number): string => dollars.toFixed(4);

interface HistoryChartProps {
  readonly periods: Periods;
  readonly readAtMs: number;
}

/** The lowest price and cost of each number type, from the first deck to the last. Nothing for a single deck. */
export function HistoryChart({ periods, readAtMs }: HistoryChartProps) {
  const chart = useMemo(() => drawn(periods, readAtMs), [periods, readAtMs]);
  if (periods.length < 2) return null;
  return <Chart title="Lowest price and cost a minute, US dollars" {...chart} format={rateText} timeText={dayText} />;
}

/** @param periods the latest first; the last one that has begun goes on until they were read */
function drawn(periods: Periods, readAtMs: number): { seconds: number[]; series: ChartSeries[] } {
  const times = periods.map((one) => ({ seconds: secondsOf(one.from), prices: one.prices })).toReversed();
  const running = times.findLast(({ seconds }) => seconds * 1_000 < readAtMs);
  const shown = running === undefined ? times : [...times, { ...running, seconds: Math.floor(readAtMs / 1_000) }];
  const points = shown.toSorted((one, other) => one.seconds - other.seconds);
  const line = (name: string, colour: ChartSeries["colour"], type: string, of: "price" | "cost"): ChartSeries => ({
    ...dollarsLine(
      name,
      colour,
      points.map(({ prices }) => prices.find((one) => one.number_type === type)?.[of].lowest ?? null),
    ),
    look: "steps",
  });
  const known = TYPES.filter(({ type }) => periods.some(({ prices }) => prices.some((one) => one.number_type === type)));
  return {
    seconds: points.map(({ seconds }) => seconds),
    series: known.flatMap(({ type, name, price, cost }) => [
      line(`${name}, price`, price, type, "price"),
      line(`${name}, cost`, cost, type, "cost"),
    ]),
  };
}
