import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Chart, type ChartSeries } from "./chart.tsx";

afterEach(cleanup);

const DAYS = [1_793_491_200, 1_793_577_600];
const SERIES: readonly ChartSeries[] = [
  { name: "Revenue", values: [12.5, null], colour: "--fl-call" },
  { name: "Last week", values: [10, 11], colour: "--fl-text-muted", look: "dashed" },
  { name: "Calls", values: [3, 4], colour: "--fl-info", look: "bars" },
];

test("a chart's figures are also a table, in which a missing one is a dash", () => {
  render(
    <Chart
      title="Revenue by day"
      seconds={DAYS}
      series={SERIES}
      format={(value) => `$${value.toFixed(2)}`}
      timeText={(seconds) => new Date(seconds * 1_000).toISOString().slice(0, 10)}
    />,
  );
  expect(screen.getByRole("figure", { name: "Revenue by day" })).toBeInTheDocument();
  const rows = within(screen.getByRole("region", { name: "Revenue by day", hidden: true })).getAllByRole("row", { hidden: true });
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ["Time (UTC)", "Revenue", "Last week", "Calls"],
    ["2026-11-01", "$12.50", "$10.00", "$3.00"],
    ["2026-11-02", "–", "$11.00", "$4.00"],
  ]);
});

test("a new chart replaces the drawing", () => {
  const one = (values: readonly number[]) => (
    <Chart title="Calls" seconds={DAYS} series={[{ ...SERIES[2]!, values }]} format={String} timeText={String} />
  );
  const { rerender, unmount, container } = render(one([1, 2]));
  rerender(one([0, 0]));
  expect(container.querySelectorAll("canvas")).toHaveLength(1);
  unmount();
  expect(document.querySelector("canvas")).toBeNull();
});
