import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();
afterEach(() => {
  vi.useRealTimers();
});

const row = (key: string): TurnoverRow => ({
  ...{ key, calls: 4, answered: 3, seconds: 540 },
  ...{ revenue: "1.20", cost: "0.80", estimated: "0.20", margin: "0.40" },
});
const NO_DELAY = { delay_mean_seconds: null, delay_median_seconds: null, delay_p95_seconds: null, mos: null } as const;
const TRAFFIC: TrafficResponse = {
  total: row(""),
  days: [row("2026-11-25"), row("2026-11-26")],
  hours: [],
  country_quality: [{ key: "GB", seizures: 8, answered: 3, effective: 7, ...NO_DELAY, delay_mean_seconds: 1.5 }],
  countries: [row("GB")],
  trunks: [row("main"), row("")],
  quality: [
    {
      key: "main",
      seizures: 8,
      answered: 3,
      effective: 7,
      delay_mean_seconds: 1.5,
      delay_median_seconds: 1.25,
      delay_p95_seconds: 4,
      mos: 4.2,
    },
    { key: "spare", seizures: 0, answered: 0, effective: 0, ...NO_DELAY },
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
  expect(await screen.findByRole("figure", { name: "Revenue and cost by day" })).toBeInTheDocument();
  const figures = ["4", "75.0 %", "9.0", "3.0", "$1.20", "$0.80", "25.0 %", "$0.40"];
  const none = ["0", "–", "0.0", "–", "$0.00", "$0.00", "–", "$0.00"];
  expect(cellsOf("By trunk").slice(1)).toEqual([
    ["main", ...figures, "8", "37.5 %", "87.5 %", "1.5 s", "1.3 s", "4.0 s", "4.20"],
    ["not named", ...figures, "–", "–", "–", "–", "–", "–", "–"],
    ["spare", ...none, "0", "–", "–", "–", "–", "–", "–"],
  ]);
  expect(cellsOf("By country").slice(1)).toEqual([["United Kingdom", ...figures, "8", "37.5 %", "87.5 %", "1.5 s", "–"]]);
  expect(cellsOf("By day").slice(1)).toEqual(["2026-11-26", "2026-11-25", "Total"].map((key) => [key, ...figures]));
  expect(screen.getByText(/^Answer-seizure ratio/)).toBeVisible();
});

test("a table is sorted by its heads, and what has no figure stays last", async () => {
  service().on("GET /api/operator/traffic", TRAFFIC);
  const person = await openConsole("/operator/traffic");
  const names = () =>
    cellsOf("By trunk")
      .map(([name]) => name)
      .slice(1);
  const head = within(await screen.findByRole("region", { name: "By trunk" })).getByRole("button", { name: "ASR" });
  await person.click(head);
  expect([head.closest("th")?.getAttribute("aria-sort"), names()]).toEqual(["descending", ["main", "not named", "spare"]]);
  await person.click(within(screen.getByRole("region", { name: "By trunk" })).getByRole("button", { name: "Calls" }));
  await person.click(within(screen.getByRole("region", { name: "By trunk" })).getByRole("button", { name: "Calls" }));
  expect(names()).toEqual(["spare", "main", "not named"]);
});

test("three days are shown by the hour in the operator's zone", async () => {
  const now = new Date().toISOString();
  const hour = `${now.slice(0, 13)}:00:00.000Z`;
  service().on("GET /api/operator/traffic", { ...TRAFFIC, read_at: now, hours: [row(hour)] });
  await openConsole("/operator/traffic?days=3");
  expect(await screen.findByRole("figure", { name: "Revenue and cost by hour" })).toBeInTheDocument();
  expect(service().asked("GET /api/operator/traffic")[0]?.query).toMatchObject({ zone: "UTC" });
  const last = within(screen.getByRole("region", { name: "Revenue and cost by hour", hidden: true }))
    .getAllByRole("row", { hidden: true })
    .at(-1);
  expect(last).toHaveTextContent(`${now.slice(11, 13)}:00$1.20$0.80`);
});

test("a page that stayed open over midnight shows the new day when it is read again", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-26T23:59:00.000Z"), shouldAdvanceTime: true });
  service().on("GET /api/operator/traffic", TRAFFIC);
  const person = await openConsole("/operator/traffic");
  const ends = () =>
    service()
      .asked("GET /api/operator/traffic")
      .map(({ query }) => query["to"]);
  await expect.poll(ends).toEqual(["2026-11-27"]);
  service().on("GET /api/operator/traffic", { ...TRAFFIC, read_at: "2026-11-27T00:01:00.000Z" });
  await act(() => vi.advanceTimersByTimeAsync(120_000));
  await person.click(screen.getByRole("button", { name: /, read again$/ }));
  await expect.poll(() => ends().at(-1)).toBe("2026-11-28");
});

test("a voice provider that reports no trunks is said so", async () => {
  service().on("GET /api/operator/traffic", { ...TRAFFIC, quality: [] });
  await openConsole("/operator/traffic");
  expect(await screen.findByText("The voice provider reports no attempts by trunk.")).toBeVisible();
});

test("another span is chosen; a span without calls says so", async () => {
  service().on("GET /api/operator/traffic", { ...TRAFFIC, days: [] });
  const person = await openConsole("/operator/traffic?days=7");
  expect(await screen.findByText("No calls ended in this time")).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Days (UTC)"), "90");
  await waitFor(() => expect(window.location.search).toBe("?days=90"));
});
