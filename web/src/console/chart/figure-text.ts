import type { ChartSeries } from "./chart.tsx";

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
