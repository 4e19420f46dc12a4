import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import type { TimelineEntry } from "@farline/contract/operator/customers.ts";
import type { SearchHit } from "@farline/contract/operator/search.ts";
import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { AT, CALL, CUSTOMER, CUSTOMER_PAGE, liveAnswer } from "../../../test/console-customer.ts";
import { openConsole, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();

const OWNER = "0199c0de-0000-7000-8000-0000000000aa";

const ENTRY: TimelineEntry = {
  type: "call",
  id: CALL,
  at: AT,
  amount: "0.06",
  balance_after: "12.44",
  state: "completed",
  kind: null,
  facts: {
    ...{ number: "+442079460000", country: "GB", number_type: "mobile", end_reason: "hangup" },
    ...{ billed_seconds: 60, duration_ms: 59_100 },
  },
  can: [],
};
const CALL_PAGE: OperatorCallResponse = {
  call: {
    id: CALL,
    customer_id: CUSTOMER,
    email: "ada@example.com",
    payer_id: OWNER,
    payer_email: "owner@example.com",
    destination: "+442079460000",
    country_code: "GB",
    number_type: "mobile",
    caller_number: null,
    status: "completed",
    end_reason: "hangup",
    hung_up_by: "caller",
    created_at: AT,
    started_at: AT,
    answered_at: AT,
    ended_at: AT,
    last_seen_alive_at: AT,
    duration_ms: 60_000,
    silent_ms: 0,
    billed_seconds: 60,
    charge: "0.06",
  },
  price: {
    rate_per_minute: "0.0600",
    first_interval_s: 1,
    next_interval_s: 1,
    prefix: "44",
    description: "United Kingdom",
    price_class: "A",
    deck_id: CUSTOMER,
    deck_effective_at: AT,
  },
  decision: {
    held: "5.00",
    bounded_by: "longest_call",
    cap_seconds: 7200,
    limit_seconds: null,
    provider_seconds: null,
    inputs: { tier: "known", risk: null, spent_in_day: "0.00" },
  },
  legs: [{ leg: "parked", control_id: "v3:a.1", leg_id: null }],
  session_id: null,
  trunk: "spare",
  attempts: [
    {
      trunk: "main",
      started_at: AT,
      duration_ms: 90,
      post_dial_delay_ms: 40,
      sip_status: 503,
      q850_cause: 41,
      outcome: "failed",
    },
  ],
  hold: { state: "posted", amount: "5.00", posted: "0.06", created_at: AT, resolved_at: AT },
  postings: [{ id: CALL, kind: "call", description: "Call", amount: "-0.06", balance_after: "12.44", created_at: AT }],
  events_archived_in: null,
  ladder: [{ at: AT, received_at: "2026-11-26T08:00:00.250Z", source: "provider", kind: "answered", leg: "far", detail: {} }],
  quality: {
    samples: [{ t: 5, mos: 3.2, rttMs: 80, jitterMs: 9, lossPct: 2 }],
    from_caller: null,
    from_called: null,
    rating: null,
  },
  cost: "0.02",
  margin: "0.04",
};

test("the key / leads to the search, whose hits lead to the customer and their timeline", async () => {
  service().on("GET /api/operator/calls/live", liveAnswer([]));
  const person = await openConsole("/operator/live");
  await person.keyboard("/");
  const box = await screen.findByRole("searchbox");
  await expect.poll(() => document.activeElement).toBe(box);
  service().on("POST /api/operator/search", refused("validation_failed", "Search for a mail address."));
  await person.type(box, "?{Enter}");
  expect(await screen.findByText("Search for a mail address.")).toBeVisible();

  const hit: SearchHit = {
    type: "customer",
    id: CUSTOMER,
    customer_id: CUSTOMER,
    name: "Ada Kovács",
    email: "ada@example.com",
    at: AT,
    amount: null,
    text: "",
    codes: ["frozen"],
  };
  service().on("POST /api/operator/search", { understood: "email", hits: [hit], more: true, note: null });
  await person.clear(box);
  await person.type(box, "ada@example.com{Enter}");
  const found = await screen.findByRole("link", { name: "ada@example.com" });
  expect(screen.getByText("There are more results. Refine your search.")).toBeVisible();
  expect(screen.getByText("Customer Ada Kovács")).toBeVisible();
  expect(screen.getByText("frozen")).toBeVisible();
  expect(document.body).not.toHaveTextContent(hit.id);
  expect(window.location.href).not.toContain("ada");

  service().on("GET /api/operator/customers/:id", CUSTOMER_PAGE);
  service().on("GET /api/operator/customers/:id/timeline", { entries: [ENTRY], next_cursor: "1~call:x" });
  await person.click(found);
  expect(await screen.findByRole("heading", { name: "Ada Kovács" })).toBeVisible();
  expect(screen.getByText(/^Frozen: .* “A payment is being reviewed”\.$/)).toBeVisible();
  expect(screen.getByText("address not confirmed")).toBeVisible();
  expect(screen.getByText("Paid").closest("div")).toHaveTextContent("1 payment kept, 0 confirmed by the bank");
  expect(screen.getByText("Waits for us").closest("div")).toHaveTextContent("1 question");
  expect(screen.getByRole("button", { name: "Unfreeze: ada@example.com" })).toBeVisible();
  const timeline = within(await screen.findByRole("list", { name: "Timeline" }));
  const name = "Called United Kingdom mobile, +44 20 7946 0000: talked 1 min (measured 59.1 s)";
  const called = await timeline.findByRole("link", { name });
  expect(called).toHaveAttribute("href", `/operator/calls/${CALL}`);
  expect(called.closest("li")).toHaveTextContent("−$0.06$12.44");
  expect(timeline.getByText("2026-11-26")).toBeVisible();

  const mail: TimelineEntry = {
    ...ENTRY,
    type: "mail",
    id: "m",
    amount: null,
    balance_after: null,
    state: "sent",
    kind: "verify_email",
    facts: {},
    can: ["resend-verification"],
  };
  service().on("GET /api/operator/customers/:id/timeline", { entries: [mail], next_cursor: null });
  await person.click(screen.getByRole("button", { name: "Show more" }));
  expect(await timeline.findByRole("button", { name: /^Send the link again/ })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test.each([
  ["UK", "Prices of United Kingdom", "/operator/prices?country=GB"],
  ["Burma", "Prices of Myanmar", "/operator/prices?country=MM"],
])("a search for %j leads to the country's prices", async (typed, link, target) => {
  service().on("POST /api/operator/search", refused("validation_failed", "Search for a mail address."));
  const person = await openConsole("/operator/search");
  await person.type(await screen.findByRole("searchbox"), `${typed}{Enter}`);
  expect(await screen.findByRole("link", { name: link })).toHaveAttribute("href", target);
  expect(screen.queryByText("Search for a mail address.")).toBeNull();
});

test("the key / can be turned off, and stays off", async () => {
  const person = await openConsole("/operator/search");
  await person.click(screen.getByLabelText("The / key opens this page from anywhere"));
  service().on("GET /api/operator/calls/live", liveAnswer([]));
  await person.click(screen.getByRole("link", { name: "Live calls" }));
  await person.keyboard("/");
  expect(await screen.findByRole("heading", { name: "Live calls" })).toBeVisible();
  await person.click(screen.getByRole("link", { name: "Search" }));
  await person.click(screen.getByLabelText("The / key opens this page from anywhere"));
  await person.click(screen.getByRole("link", { name: "Live calls" }));
  await person.keyboard("/");
  expect(await screen.findByRole("searchbox")).toBeVisible();
});

test("a call's page shows how it ended, what was charged, its decision, events, attempts and postings", async () => {
  service().on("GET /api/operator/calls/:id", CALL_PAGE);
  const person = await openConsole(`/operator/calls/${CALL}`);
  expect(await screen.findByRole("heading", { name: "Call to +44 20 7946 0000" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Paid by owner@example.com" })).toHaveAttribute("href", `/operator/customers/${OWNER}`);
  expect(screen.getByText("Outcome").closest("div")).toHaveTextContent("Hung up by the caller");
  expect(screen.getByText("Billed").closest("div")).toHaveTextContent("1 minmeasured 60.0 s");
  expect(screen.getByText("Cost").closest("div")).toHaveTextContent("$0.02margin $0.04");
  expect(screen.getByText("Trust").closest("div")).toHaveTextContent("Known");
  expect(screen.getByText("Answered, line to the called phone")).toBeVisible();
  expect(screen.getByText("Voice provider, received 250 ms later")).toBeVisible();
  expect(screen.getByText("main: Failed at the carrier")).toBeVisible();
  expect(screen.getByText("SIP 503, carrier unavailable")).toBeVisible();
  expect(screen.getByText("Q.850 41, temporary network failure")).toBeVisible();
  expect(screen.getByText("Call charge −$0.06")).toBeVisible();
  expect(screen.getByText("Worst in the browser").closest("div")).toHaveTextContent("Sound 3.2 of 5 after 5 s");
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await person.click(screen.getByRole("button", { name: "Copy the id of the line to the browser" }));
  expect(copied).toHaveBeenCalledWith("v3:a.1");
  expect(screen.queryByText(/[0-9a-f]{8}-[0-9a-f]{4}-/)).toBeNull();
});

test.each([
  ["one that the voice provider routed itself", "far", AT, /^The voice provider chose the carrier itself/],
  ["one that no carrier got", "parked", AT, "The call was not sent to a carrier."],
  ["a running one", "far", null, "No attempts are reported yet."],
] as const)("a call without attempts says why: %s", async (_, leg, ended_at, text) => {
  const legs = [{ leg, control_id: "v3:a.1", leg_id: null }];
  service().on("GET /api/operator/calls/:id", { ...CALL_PAGE, call: { ...CALL_PAGE.call, ended_at }, legs, attempts: [] });
  await openConsole(`/operator/calls/${CALL}`);
  expect(await screen.findByText(text)).toBeVisible();
});

test("an unknown customer and a call that cannot be read are said so", async () => {
  service().on("GET /api/operator/customers/:id", refused("not_found", "There is no customer x."));
  await openConsole("/operator/customers/x");
  expect(await screen.findByText("There is no customer x.")).toBeVisible();
});
