import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();

const row = (key: string): TurnoverRow => ({
  ...{ key, calls: 4, answered: 3, seconds: 540 },
  ...{ revenue: "1.20", cost: "0.80", estimated: "0.20", margin: "0.40" },
});
const TRAFFIC: TrafficResponse = {
  total: row(""),
  days: [row("2026-11-25"), row("2026-11-26")],
  countries: [row("GB")],
  trunks: [row("main"), row("")],
  quality: [
    { trunk: "main", seizures: 8, answered: 3, effective: 7, delay_median_seconds: 1.25, delay_p95_seconds: 4, mos: 4.2 },
    { trunk: "spare", seizures: 0, answered: 0, effective: 0, delay_median_seconds: null, delay_p95_seconds: null, mos: null },
  ],
  read_at: "2026-11-26T08:00:00.000Z",
};
const cellsOf = (name: string) =>
  within(screen.getByRole("region", { name }))
    .getAllByRole("row")
    .map((one) => [...one.children].map((cell) => cell.textContent));

test("turnover by day, country and trunk, the trunks' quality, and what the figures mean", async () => {
  service().on("GET /api/operator/traffic", TRAFFIC);
  await openConsole("/operator/traffic", sessionAs("finance"));
  expect(await screen.findByRole("figure", { name: "Revenue and cost by day, US dollars" })).toBeInTheDocument();
  expect(cellsOf("Quality by trunk").slice(1)).toEqual([
    ["main", "8", "37.5 %", "87.5 %", "1.3 s", "4.0 s", "4.20"],
    ["spare", "0", "–", "–", "–", "–", "–"],
  ]);
  const figures = ["4", "75.0 %", "9.0", "3.0", "1.20", "0.80", "25.0 %", "0.40"];
  expect(cellsOf("Turnover by day").slice(1)).toEqual(["2026-11-26", "2026-11-25", "Total"].map((key) => [key, ...figures]));
  expect(cellsOf("Turnover by trunk").at(-1)?.[0]).toBe("not named");
  expect(screen.getByText(/^Answer-seizure ratio/)).toBeVisible();
});

test("a voice provider that reports no trunks is said so", async () => {
  service().on("GET /api/operator/traffic", { ...TRAFFIC, quality: [] });
  await openConsole("/operator/traffic");
  expect(await screen.findByText("The voice provider reports no attempts by trunk.")).toBeVisible();
  expect(screen.queryByRole("region", { name: "Quality by trunk" })).toBeNull();
});

test("another span is chosen; a span without calls says so", async () => {
  service().on("GET /api/operator/traffic", { ...TRAFFIC, days: [] });
  const person = await openConsole("/operator/traffic?days=7");
  expect(await screen.findByText("No calls ended in this time")).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Days (UTC)"), "90");
  await waitFor(() => expect(window.location.search).toBe("?days=90"));
});
