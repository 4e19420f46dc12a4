import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Chart } from "./chart.tsx";
import { axisTexts, type ChartSeries, dateText, figureText } from "./chart-texts.ts";

afterEach(cleanup);

const DAYS = [1_793_491_200, 1_793_577_600];
const SERIES: readonly ChartSeries[] = [
  { name: "Revenue", values: [12.5, null], colour: "--fl-call" },
  { name: "Calls", values: [3, 4], colour: "--fl-info", look: "bars", marks: [null, "unfinished"], expected: [null, 9] },
];
const CHART = { title: "Revenue by day", sentence: "Revenue fell.", timeText: String };

test("a chart has its unit in the legend, a sentence, and its figures as a table in which a missing one is a dash", () => {
  render(<Chart {...CHART} seconds={DAYS} series={SERIES} unit="dollars" remark="No calls: Sun 1 Nov." />);
  const figure = screen.getByRole("figure", { name: "Revenue by day" });
  expect(figure).toHaveAttribute("dir", "ltr");
  expect(within(figure).getByText("Revenue, $", { selector: "li span" })).toBeInTheDocument();
  expect(within(figure).getByText("Revenue fell.")).toBeInTheDocument();
  expect(within(figure).getByText("No calls: Sun 1 Nov.")).toBeVisible();
  const rows = within(screen.getByRole("region", { name: "Revenue by day", hidden: true })).getAllByRole("row", { hidden: true });
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ["Time (UTC)", "Revenue, $", "Calls, $", "Usual"],
    ["1793491200", "$12.50", "$3.00", "–"],
    ["1793577600", "–", "$4.00", "$9.00"],
  ]);
});

test("a new chart replaces the drawing, which is loaded when it is needed", async () => {
  const one = (values: readonly number[]) => (
    <Chart {...CHART} seconds={DAYS} series={[{ ...SERIES[1]!, values }]} unit="calls" />
  );
  const { rerender, unmount, container } = render(one([1, 2]));
  await expect.poll(() => container.querySelectorAll("canvas")).toHaveLength(1);
  rerender(one([0, 0]));
  expect(container.querySelectorAll("canvas")).toHaveLength(1);
  unmount();
  expect(document.querySelector("canvas")).toBeNull();
});

test.each([
  ["dollars", [0, 5, 10], ["$0", "$5", "$10"]],
  ["dollars", [0, 0.5, 1], ["$0.00", "$0.50", "$1.00"]],
  ["dollars", [-5_000, 0, 15_000], ["-$5k", "$0", "$15k"]],
  ["minutes", [0, 5_000, 12_500], ["0.0", "5.0k", "12.5k"]],
  ["rate", [0, 0.0125], ["$0.0000", "$0.0125"]],
] as const)("an axis in %s of %j reads %j", (unit, ticks, texts) => {
  expect(axisTexts(ticks, unit)).toEqual(texts);
});

test("figures have their unit's decimals, and days their weekday", () => {
  expect([figureText(1942.184, "dollars"), figureText(-3, "dollars"), figureText(21_604.4, "minutes")]).toEqual([
    "$1,942.18",
    "-$3.00",
    "21,604",
  ]);
  expect(dateText("2026-11-02")).toBe("Mon 2 Nov");
});
