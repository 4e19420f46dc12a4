import { cleanup, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { aBalance, aCall, aContact, listOf } from "../../../test/answers.ts";
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
  expect(screen.getByRole("link", { name: "Make a call" })).toHaveAttribute("href", "/dialer");
  expect(await screen.findByText("Your months and countries appear here after your first call.")).toBeVisible();
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
  expect(await recent.findByRole("link", { name: /Kwame Mensah.*90 seconds.*completed.*\$0\.2130/ })).toBeVisible();
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

test("favourites lead to the dialer, and none need no room", async () => {
  await openApp("/dashboard");
  expect(await screen.findByText("No calls yet. Start making calls!")).toBeVisible();
  expect(screen.queryByRole("region", { name: "Favorites" })).toBeNull();
  cleanup();
  queryClient.clear();
  service().on("GET /api/contacts", { contacts: [aContact({ favorite: true })], next_cursor: null, total: 1 });
  await openApp("/dashboard");
  const link = (await region("Favorites")).getByRole("link", { name: /^Kwame Mensah.*\$0\.1420\/min/ });
  expect(link).toHaveAttribute("href", "/dialer?number=%2B233200000142&name=Kwame+Mensah");
});

test("each part shows its own error and can be reloaded", async () => {
  service().on("GET /api/calls/history", refused("rate_limited", "Too many attempts."));
  service().on("GET /api/calls/summary", refused("rate_limited", "Too many attempts."));
  const person = await openApp("/dashboard");
  const recent = await region("Recent calls");
  expect(await recent.findByText("Failed to fetch call history")).toBeVisible();
  expect(await (await region("What you called")).findByText("The figures could not be loaded")).toBeVisible();
  service().on("GET /api/calls/history", { calls: listOf([aCall()]) });
  await person.click(recent.getByRole("button", { name: "Try again" }));
  expect(await recent.findByRole("link", { name: /Ghana/ })).toBeVisible();
});
