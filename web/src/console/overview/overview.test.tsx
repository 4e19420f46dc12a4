import { runbookNames, runbooks } from "@farline/contract/operator/constants.ts";
import type { OverviewResponse } from "@farline/contract/operator/overview.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { EMPTY_DAY, emptyOverview, openConsole, sentence, sessionAs, withConsoleService } from "../../../test/open-console.tsx";
import { consolePages } from "../console-pages.ts";
import { daysChart, hoursChart, sparkLines, sparkText } from "./traffic-charts.tsx";

const service = withConsoleService();

const TROUBLE = { level: "page", since: "2026-11-26T02:40:00.000Z", size: 1, detail: "It was found at 02:40." } as const;

const OVERVIEW: OverviewResponse = {
  ...emptyOverview,
  at: "2026-11-26T03:00:00.000Z",
  warnings: [
    { ...TROUBLE, id: "farline_ledger_deviations", text: "The ledger does not add up in 1 places.", runbook: "ledger-drift" },
    { ...TROUBLE, id: "farline_disputes_open", text: "Disputes that wait for evidence: 1.", runbook: "dispute-due" },
  ],
  queue: [
    { kind: "question", waiting: 0, oldest: null, due_at: null, amount: "0.00" },
    { kind: "dispute", waiting: 2, oldest: "2026-11-20T03:00:00.000Z", due_at: "2026-11-26T02:00:00.000Z", amount: "40.00" },
  ],
  live: { ringing: 1, answered: 3, charge: "1.20", held: "9.00", cost: "0.80" },
  today: { ...EMPTY_DAY, top_ups: 2, topped_up: "30.00", seconds: 90, revenue: "0.30", margin: "0.10" },
  week_ago: { ...EMPTY_DAY, day: "2026-11-19", topped_up: "40.00", calls: 4, answered: 3 },
  trunks: [{ name: "main", state: "refused", seizures: 8, answered: 2, live: 3, usual_seizures: 10, usual_answered: 6 }],
  parts: (["database", "rates", "mails"] as const).map((part) => ({ part, state: "ok", worked: 3, failed: 0, last_at: null })),
};

test("the console opens with what needs a person, and where to act", async () => {
  service().on("GET /api/operator/overview", OVERVIEW);
  await openConsole("/operator");
  const [drift, dispute] = within(await screen.findByRole("list", { name: "Warnings" })).getAllByRole("listitem");
  expect(within(drift!).getByRole("link", { name: "Month" })).toHaveAttribute("href", "/operator/month");
  expect(within(drift!).getByText(/Look first: Each deviation in the log/)).toBeVisible();
  expect(within(drift!).getByText(sentence("Since 2026-11-26 02:40:00 UTC"))).toBeVisible();
  expect(within(drift!).getByRole("link", { name: "What to do" })).toHaveAttribute("href", "/operator/runbooks/ledger-drift");
  expect(within(dispute!).getByRole("link", { name: "Queue" })).toHaveAttribute("href", "/operator/queue?kind=dispute");
  const [waiting] = within(screen.getByRole("list", { name: "What waits" })).getAllByRole("listitem");
  expect(waiting).toHaveTextContent("Disputes: 2$40.001 h late");
  expect(screen.getByText("$9.00")).toBeVisible();
  expect(screen.getByRole("row", { name: "main refuses our account 3 8 25.0 % 60.0 %" })).toBeVisible();
  const [topUps] = screen.getAllByText("Top-ups").map((one) => one.parentElement!);
  expect(topUps).toHaveTextContent("Top-ups$30.00−25%a week ago $40.00");
  expect(screen.getByText("Calls answered").parentElement).toHaveTextContent(
    "Calls answered–nothing to comparea week ago 75.0 %",
  );
  expect(screen.getByRole("heading", { name: "Today until 03:00" })).toBeVisible();
  expect(await screen.findByRole("figure", { name: "Minutes talked, 30 days" })).toBeInTheDocument();
});

test("support sees no costs, and no link to a page that is closed to them", async () => {
  const closed = { ledger: null, decks: null, live: { ...OVERVIEW.live!, cost: null } };
  const day = { ...EMPTY_DAY, margin: null };
  service().on("GET /api/operator/overview", { ...OVERVIEW, ...closed, today: day, week_ago: day });
  await openConsole("/operator", sessionAs("support", "Eve"));
  expect(await screen.findByText(/The ledger does not add up/)).toBeVisible();
  expect(screen.queryByRole("link", { name: "Month" })).toBeNull();
  for (const text of ["Margin", "Carriers take so far", "Ledger and prices"]) expect(screen.queryByText(text)).toBeNull();
});

test("a part that cannot be read is said, and the rest stays; what was checked is said where nothing is wrong", async () => {
  service().on("GET /api/operator/overview", { ...OVERVIEW, warnings: [], trunks: null, unread: ["trunks"] });
  await openConsole("/operator");
  expect(await screen.findByText("Trunks could not be read.")).toBeVisible();
  expect(screen.getByText("Nothing is wrong.")).toBeVisible();
  expect(screen.getByText("Worked at its last real use: database, prices, mails.")).toBeVisible();
  expect(screen.getByText("Disputes: 2")).toBeVisible();
});

test("days without a call, low hours and the unfinished day are marked and said", () => {
  const fromMs = Date.parse("2026-11-01T00:00:00Z");
  const values = Array.from({ length: 24 * 15 + 12 }, (_, hour) =>
    hour >= 48 && hour < 72 ? 0 : hour === 24 * 15 + 5 ? 10 : 100,
  );
  const days = daysChart({ fromMs, values }, "UTC");
  expect(days.series[0]?.marks?.slice(0, 4)).toEqual(["strong", null, "empty", null]);
  expect(days.series[0]?.marks?.at(-1)).toBe("unfinished");
  expect([days.remark, days.series[0]?.expected?.at(-1)]).toEqual(["No calls: Tue 3 Nov.", 2_310]);
  const hours = hoursChart({ fromMs, values }, "UTC");
  expect(hours.remark).toBe("Far fewer calls than usual: Mon 16 Nov 05:00.");
});

test("on the first day it says what is missing, and a failure can be tried again", async () => {
  service().on("GET /api/operator/overview", refused("internal"));
  const person = await openConsole("/operator");
  const again = await screen.findByRole("button", { name: "Try again" });
  const first_steps = { operators: true, deck: false, trunk: true, payments: false };
  service().on("GET /api/operator/overview", { ...emptyOverview, first_steps });
  await person.click(again);
  const steps = within(await screen.findByRole("list", { name: "First steps" })).getAllByRole("listitem");
  expect(steps.map((one) => within(one).getByText(/^(Done|To do)$/).textContent)).toEqual(["Done", "Done", "To do", "To do"]);
  expect(screen.getByText("Nothing is wrong.")).toBeVisible();
  expect(screen.getByText("Nothing is waiting.")).toBeVisible();
});

test("differences of the reconciliation lead to the list that shows them", async () => {
  const differ = {
    ...TROUBLE,
    id: "farline_reconciliation_differences",
    text: "Ledger and provider differ.",
    runbook: "person-needed",
  } as const;
  service().on("GET /api/operator/overview", { ...emptyOverview, warnings: [differ] });
  await openConsole("/operator");
  const list = await screen.findByRole("list", { name: "Warnings" });
  expect(within(list).getByRole("link", { name: "Reconciliation" })).toHaveAttribute("href", "/operator/reconciliation");
});

test("each runbook leads to a page of the console, by its title, for those who may open it", () => {
  for (const { page } of Object.values(runbooks)) {
    if (page === null) continue;
    const { title, right } = consolePages.find(({ path }) => path === page.path.split("?")[0])!;
    expect({ title, right }).toEqual({ title: page.title, right: page.right });
  }
});

test("a runbook is read in the console: its steps, its commands, and the runbooks that it names", async () => {
  await openConsole("/operator/runbooks/service-errors");
  expect(await screen.findByRole("heading", { name: "Look first" })).toBeVisible();
  expect(screen.getByText(/^Which route fails, and with which reason in the log/)).toBeVisible();
  expect(screen.getByRole("link", { name: "database-held" })).toHaveAttribute("href", "/operator/runbooks/database-held");
  expect(screen.queryByText(/^# /)).toBeNull();
});

test.each(runbookNames)("the runbook %s is shown without a mark of its source left", async (name) => {
  await openConsole(`/operator/runbooks/${name}`);
  await screen.findByRole("heading", { name: "Look first" });
  const main = screen.getByRole("article").textContent;
  expect(main).not.toMatch(/\*\*|\]\(|```|^#/);
});

test("an address that names no runbook says so", async () => {
  await openConsole("/operator/runbooks/nothing");
  expect(await screen.findByRole("heading", { name: "There is no such runbook" })).toBeVisible();
});

test("a figure's hours of today stand beside those of the same day a week ago, and say their peaks", async () => {
  const from = Date.parse("2026-11-19T00:00:00Z");
  const calls = Array.from({ length: 7 * 24 + 3 }, (_, hour) => (hour < 24 || hour >= 7 * 24 ? 10 : 0));
  const hours = {
    ...{ from: new Date(from).toISOString(), at: "2026-11-26T02:30:00.000Z", calls, answered: calls.map((count) => count / 2) },
    seconds: calls.map((count, hour) => (hour === 7 * 24 + 1 ? 1_800 : count * 60)),
    ...{ revenue: calls.map(() => "1.00"), margin: null },
  };
  const today = [10, 30, 10].map((value, hour) => ({ value, time: `0${hour}:00` }));
  const weekAgo = Array.from({ length: 24 }, (_, hour) => ({ value: 10, time: `${String(hour).padStart(2, "0")}:00` }));
  expect(sparkLines(hours, "minutes", "UTC")).toEqual({ today, weekAgo });
  expect(sparkLines(hours, "margin", "UTC")).toBeNull();
  service().on("GET /api/operator/overview", OVERVIEW);
  service().on("GET /api/operator/overview/hours", hours);
  await openConsole("/operator");
  expect(await screen.findByRole("img", { name: "By the hour: at most 30 at 01:00, a week ago 10 at 00:00." })).toBeVisible();
  expect(screen.getByRole("img", { name: "By the hour: at most 50.0 % at 00:00, a week ago 50.0 % at 00:00." })).toBeVisible();
});

test.each([
  ["a zone half an hour off", "Asia/Kolkata", "2026-11-26T04:00:00Z", { today: "09:30", weekAgo: "08:30" }],
  ["the day that loses an hour", "Europe/London", "2026-03-29T10:00:00Z", { today: "11:00", weekAgo: "09:00" }],
  ["the day that gains an hour", "Europe/London", "2026-10-25T23:00:00Z", { today: "23:00", weekAgo: "23:00" }],
])("a peak is said at the hour on the operator's clock: %s", (_, zone, peak, { today, weekAgo }) => {
  const from = Date.parse(peak) - 9 * 24 * 3_600_000;
  const none = Array.from({ length: 9 * 24 + 1 }, () => 0);
  const hours = {
    ...{
      from: new Date(from).toISOString(),
      at: peak,
      calls: none,
      answered: none,
      revenue: none.map(() => "0.00"),
      margin: null,
    },
    seconds: none.with(9 * 24, 1_800).with(2 * 24 - 1, 600),
  };
  const lines = sparkLines(hours, "minutes", zone)!;
  expect(sparkText("minutes", lines)).toBe(`By the hour: at most 30 at ${today}, a week ago 10 at ${weekAgo}.`);
});
