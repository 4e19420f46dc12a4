import { cleanup, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { aBalance, aCall, aConfig, aUser, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { queryClient } from "../../service/query-client.ts";

const service = withFakeService();

const region = async (name: string) => within(await screen.findByRole("region", { name }));

const usage = (calls: number, seconds: number, spend: string) => ({ calls, seconds, spend });

test("a new customer gets a welcome and a link to the first call", async () => {
  await openApp("/dashboard");
  expect(await screen.findByRole("heading", { name: "Hello, Grace Mensah" })).toBeVisible();
  expect(await screen.findByText("No calls yet. Start making calls!")).toBeVisible();
  for (const link of screen.getAllByRole("link", { name: "Make a call" })) expect(link).toHaveAttribute("href", "/dialer");
  expect(screen.queryByRole("region", { name: "What you called" })).toBeNull();
  expect(screen.queryByText(/free/)).toBeNull();
});

test("the dashboard shows balance, calls, and their totals by month and by country, in money and in minutes", async () => {
  service().on("GET /api/billing/balance", aBalance({ balance: "12.34" }));
  service().on("GET /api/calls/history", { calls: listOf([aCall({ contact_name: "Kwame Mensah" })]) });
  service().on("GET /api/calls/summary", {
    time_zone: "UTC",
    total_calls: 1200,
    months: [
      { month: "2026-04", ...usage(2, 600, "1.40") },
      { month: "2026-05", ...usage(1, 120, "0.60") },
    ],
    countries: [
      { country_code: "GH", country_name: "Ghana", ...usage(2, 600, "1.40") },
      { country_code: "GB", country_name: "United Kingdom", ...usage(1, 120, "0.60") },
    ],
  });
  const person = await openApp("/dashboard");
  expect((await region("Total calls")).getByText("1,200")).toBeVisible();
  expect((await region("Current balance")).getByText(/\$12\.34/)).toBeVisible();
  const recent = await region("Recent calls");
  expect(
    await recent.findByRole("link", { name: /Kwame Mensah \+233 20 000 0142.*90 seconds.*completed.*\$0\.2130/ }),
  ).toBeVisible();
  const called = await region("What you called");
  expect((await region("By month")).getByText("$2.00")).toBeVisible();
  // The columns' scale.
  expect((await region("By month")).getByText("$1.40")).toBeVisible();
  expect(called.getByRole("button", { name: "Spend" })).toHaveAttribute("aria-pressed", "true");
  await person.click(called.getByRole("button", { name: "Minutes" }));
  expect((await region("By month")).getByText("12 min")).toBeVisible();
  const [first] = (await region("By country")).getAllByRole("listitem");
  expect(first).toHaveTextContent(/Ghana.*10 min/);
  await person.click(called.getByText("Show figures"));
  const table = within(called.getByRole("table"));
  // The newest month first, below the head.
  expect(table.getAllByRole("row")[1]).toHaveTextContent(/May 2026.*1.*2.*\$0\.60/);
});

test.each([
  [true, "Your first call is free, up to $0.25. One per person."],
  [false, "Confirm your email to get your free first call, up to $0.25."],
])("a new customer whose address is confirmed (%s) reads: %s", async (isConfirmed, text) => {
  service().on("GET /api/config", aConfig({ first_call: "0.25" }));
  service().on("GET /api/user", { user: aUser({ email_verified: isConfirmed }) });
  service().on("GET /api/billing/balance", aBalance({ balance: "0.00", bonus: isConfirmed ? "0.25" : "0.00" }));
  await openApp("/dashboard");
  expect(within(await screen.findByRole("main")).getByText(text)).toBeVisible();
});

test("a call that was not answered has its outcome in words, without money or seconds", async () => {
  const outcomes = ["busy", "rejected", "no_answer", "invalid_number"] as const;
  const calls = outcomes.map((reason) =>
    aCall({ status: "failed", end_reason: reason, answered_at: null, duration_seconds: 0, cost: "0.00" }),
  );
  const lost = aCall({ end_reason: "connection_lost" });
  service().on("GET /api/calls/history", { calls: listOf([...calls, lost]) });
  await openApp("/dashboard");
  const rows = await (await region("Recent calls")).findAllByRole("listitem");
  expect(rows.map((row) => /Ghana, (.*)$/.exec(row.textContent ?? "")?.[1])).toEqual([
    "busy",
    "declined",
    "no answer",
    "not in service",
    "90 seconds, line lost$0.2130",
  ]);
});

test("charts come with the tenth call", async () => {
  const summary = (calls: number) => ({
    time_zone: "UTC",
    total_calls: calls,
    months: [{ month: "2026-05", ...usage(calls, 600, "1.40") }],
    countries: [{ country_code: "GH", country_name: "Ghana", ...usage(calls, 600, "1.40") }],
  });
  service().on("GET /api/calls/summary", summary(9));
  await openApp("/dashboard");
  expect(await (await region("Total calls")).findByText("9")).toBeVisible();
  expect(screen.queryByRole("region", { name: "What you called" })).toBeNull();
  cleanup();
  queryClient.clear();
  service().on("GET /api/calls/summary", summary(10));
  await openApp("/dashboard");
  expect(await screen.findByRole("region", { name: "What you called" })).toBeVisible();
});

test("each part shows its own error and can be reloaded", async () => {
  service().on("GET /api/calls/history", refused("rate_limited", "Too many attempts."));
  const person = await openApp("/dashboard");
  const recent = await region("Recent calls");
  expect(await recent.findByText("Failed to fetch call history")).toBeVisible();
  service().on("GET /api/calls/history", { calls: listOf([aCall()]) });
  await person.click(recent.getByRole("button", { name: "Try again" }));
  expect(await recent.findByRole("link", { name: /Ghana/ })).toBeVisible();
});
