import type {
  BreakerResponse,
  PromoResponse,
  ReconciliationResponse,
  SettingResponse,
} from "@farline/contract/operator/business.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sentence, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();
const ID = "0199bbbb-0000-7000-8000-0000000000aa";
const OTHER_ID = "0199bbbb-0000-7000-8000-0000000000bb";
const NOTE_ID = "0199bbbb-0000-7000-8000-0000000000cc";
const LONG_AGO = "2020-01-01T08:00:00.000Z";
const LATER = "2099-01-01T08:00:00.000Z";

const PROMO: PromoResponse = {
  code: "SPRING",
  offer: "20 % of a top-up",
  starts_at: LONG_AGO,
  ends_at: null,
  ended_at: null,
  uses: 3,
  most_uses: 10,
  promised: "12.00",
  budget: "100.00",
};
const SETTING: SettingResponse = {
  name: "call-limits.new.spend-per-day",
  value: "$20.00",
  since: { at: LONG_AGO, operator: "Joan" },
  default: "$10.00",
  alone: { min: "$0.00", max: "$50.00" },
  bounds: { min: "$0.00", max: "$500.00" },
  next: [{ value: "$30.00", from: LATER, operator: "Grace" }],
};
const TITLE = "Calls of new customers: spending per day";
const BREAKER: BreakerResponse = { id: ID, kind: "prefix", text: "Calls to +88 are stopped.", until: LATER, lifted_at: null };
const COMPARED: ReconciliationResponse = {
  latest: {
    ...{ from: "2026-11-20T00:00:00.000Z", to: "2026-11-23T00:00:00.000Z" },
    ...{ charges: 41, provider: "820.00", ledger: "810.00", repaired: 2, differences: 2 },
  },
  differences: [
    {
      ...{ kind: "unknown_charge", payment_id: null, reference: "pi_1", detail: "" },
      ...{ provider: "10.00", ledger: null, found_at: "2026-11-23T02:00:00.000Z" },
    },
    {
      kind: "amount",
      payment_id: "0199bbbb-0000-7000-8000-0000000000dd",
      reference: null,
      detail: "Refunded twice",
      provider: null,
      ledger: "5.00",
      found_at: null,
    },
  ],
};

/** What a page is without anything to show. */
const EMPTY = {
  "GET /api/operator/promos": { promos: [] },
  "GET /api/operator/breakers": { spent: "0.00", breakers: [] },
  "GET /api/operator/reconciliation": { latest: null, differences: [] },
  "GET /api/operator/settings": { settings: [] },
};

type Dialog = ReturnType<typeof dialogCalled>;

function dialogCalled(name: string) {
  return within(screen.getByRole("dialog", { name }));
}

async function send(person: Awaited<ReturnType<typeof openConsole>>, dialog: Dialog, action: string, reason = "Agreed") {
  await person.type(dialog.getByLabelText("Reason"), reason);
  await person.click(dialog.getByRole("button", { name: action }));
}

test.each([
  ["promos", "GET /api/operator/promos", "The promo codes could not be loaded", "There is no promo code"],
  ["protection", "GET /api/operator/breakers", "The breakers could not be loaded", "No breaker has tripped."],
  ["reconciliation", "GET /api/operator/reconciliation", "The reconciliation could not be loaded", "No comparison was made yet."],
  ["settings", "GET /api/operator/settings", "The settings could not be loaded", null],
] as const)("%s says that it loads, why it failed, and that it is empty", async (page, route, failure, empty) => {
  const answer = service().hold(route, refused("unavailable", "The database is being restored."));
  const person = await openConsole(`/operator/${page}`);
  expect(await screen.findByRole("status")).toHaveTextContent("Loading");
  if (empty !== null) expect(screen.queryByText(empty)).toBeNull();
  answer();
  const alert = await screen.findByRole("alert");
  expect(alert).toHaveTextContent(failure);
  expect(alert).toHaveTextContent("The database is being restored.");
  expect(screen.queryByRole("status")).toBeNull();

  service().on(route, EMPTY[route]);
  await person.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  if (empty !== null) expect(await screen.findByText(empty)).toBeVisible();
});

test("promo codes show their state, offer and what was promised", async () => {
  service().on("GET /api/operator/promos", {
    promos: [
      PROMO,
      { ...PROMO, code: "SUMMER", starts_at: LATER, ends_at: LATER, most_uses: null, budget: null },
      { ...PROMO, code: "AUTUMN", ends_at: LONG_AGO },
      { ...PROMO, code: "WINTER", ended_at: LONG_AGO },
    ],
  });
  await openConsole("/operator/promos");
  const row = within(await screen.findByRole("listitem", { name: "SPRING" }));
  for (const text of ["active", PROMO.offer, "3 of 10 uses", "promised $12.00 of $100.00"])
    expect(row.getByText(text)).toBeVisible();
  const later = within(screen.getByRole("listitem", { name: "SUMMER" }));
  for (const text of ["scheduled", "until 2099-01-01 08:00:00 UTC", "3 uses", "promised $12.00"])
    expect(later.getByText(sentence(text))).toBeVisible();
  expect(within(screen.getByRole("listitem", { name: "AUTUMN" })).getByText("ended")).toBeVisible();
  expect(within(screen.getByRole("listitem", { name: "WINTER" })).getByText(sentence(/^ended by an operator/))).toBeVisible();
  expect(screen.getAllByRole("button", { name: /^End / }).map((button) => button.getAttribute("aria-label"))).toEqual([
    "End SPRING",
    "End SUMMER",
  ]);
});

test("a promo code is started, and what the service refuses is shown beside what was typed", async () => {
  service().on("GET /api/operator/promos", EMPTY["GET /api/operator/promos"]);
  service().on("POST /api/operator/promos/:code", refused("conflict", "This code exists already."));
  const person = await openConsole("/operator/promos", sessionAs("finance"));
  await person.click(await screen.findByRole("button", { name: "Start a promo code" }));
  const dialog = dialogCalled("Start a promo code");
  await person.type(dialog.getByLabelText("Code"), "SPRING");
  await person.type(dialog.getByLabelText("Bonus in percent (optional)"), "20");
  await person.type(dialog.getByLabelText("Least top-up"), "5");
  await person.type(dialog.getByLabelText("Ends (UTC) (optional)"), "2099-01-01T08:00");
  await send(person, dialog, "Start a promo code");
  expect(await dialog.findByText("This code exists already.")).toBeVisible();
  expect(dialog.getByLabelText("Code")).toHaveValue("SPRING");

  service().on("POST /api/operator/promos/:code", { proposal: null });
  await person.click(dialog.getByRole("button", { name: "Start a promo code" }));
  expect(await screen.findByText("The promo code can be used.")).toBeVisible();
  const [, sent] = service().asked("POST /api/operator/promos/:code");
  expect(sent?.id).toBe("SPRING");
  expect(sent?.body).toMatchObject({
    percent: 20,
    fixedMicros: null,
    minMicros: "5.00",
    startsAt: null,
    endsAt: LATER,
    reason: "Agreed",
  });
});

test.each(["1,000", "1 000", "many", "Infinity", "-5"])(
  "'%s' is refused as the number of uses of a promo code, and is not sent as unlimited",
  async (typed) => {
    service().on("GET /api/operator/promos", EMPTY["GET /api/operator/promos"]);
    const person = await openConsole("/operator/promos", sessionAs("finance"));
    await person.click(await screen.findByRole("button", { name: "Start a promo code" }));
    const dialog = dialogCalled("Start a promo code");
    await person.type(dialog.getByLabelText("Code"), "SPRING");
    await person.type(dialog.getByLabelText("Least top-up"), "5");
    await person.type(dialog.getByLabelText("Most uses (optional)"), typed);
    await send(person, dialog, "Start a promo code");
    expect(await dialog.findByText("Enter a number in digits alone, for example 1000")).toBeVisible();
    expect(service().asked("POST /api/operator/promos/:code")).toEqual([]);
  },
);

test("a setting whose time is unfinished is not changed now", async () => {
  service().on("GET /api/operator/settings", { settings: [SETTING] });
  const person = await openConsole("/operator/settings");
  await person.click(await screen.findByRole("button", { name: `Change ${TITLE}` }));
  const dialog = dialogCalled(`Change ${TITLE}`);
  const time = dialog.getByLabelText<HTMLInputElement>("From (UTC) (optional)");
  // As browsers do for a date without a time, which the simulated one cannot.
  Object.defineProperty(time, "validity", { value: { badInput: true } });
  const says = vi.spyOn(time, "reportValidity");
  await send(person, dialog, "Change a setting");
  expect(says).toHaveBeenCalledOnce();
  expect(service().asked("POST /api/operator/settings/:setting")).toEqual([]);
});

test("a promo code is ended; the list is read again", async () => {
  service().on("GET /api/operator/promos", { promos: [PROMO] });
  service().on("POST /api/operator/promos/:code/end", { uses: 3 });
  const person = await openConsole("/operator/promos");
  await person.click(await screen.findByRole("button", { name: "End SPRING" }));
  service().on("GET /api/operator/promos", { promos: [{ ...PROMO, ended_at: LONG_AGO }] });
  await send(person, dialogCalled("End SPRING"), "End a promo code");
  expect(await screen.findByText("The promo code has ended. 3 top-ups used it.")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("button", { name: "End SPRING" })).toBeNull());
  expect(service().asked("POST /api/operator/promos/:code/end")[0]).toMatchObject({ id: "SPRING", body: { reason: "Agreed" } });
});

test("breakers say what they stop and until when; a note and a lifted one cannot be lifted", async () => {
  const lifted: BreakerResponse = { ...BREAKER, id: OTHER_ID, text: "Calls to Cuba were stopped.", lifted_at: LONG_AGO };
  const note: BreakerResponse = { ...BREAKER, id: NOTE_ID, kind: "spend_note", text: "Half of the day's spend." };
  service().on("GET /api/operator/breakers", { spent: "412.50", breakers: [BREAKER, lifted, note] });
  service().on("POST /api/operator/breakers/:id/lift", refused("not_found", "Another operator was faster."));
  const person = await openConsole("/operator/protection", sessionAs("finance"));
  expect(await screen.findByText("Carriers have taken $412.50 since midnight UTC.")).toBeVisible();
  expect(screen.getByText(sentence("lifted 2020-01-01 08:00:00 UTC"))).toBeVisible();
  const [lift, ...others] = screen.getAllByRole("button", { name: /^Allow these calls again/ });
  expect(others).toEqual([]);
  await person.click(lift as HTMLElement);
  const dialog = dialogCalled("Allow these calls again");
  await send(person, dialog, "Allow these calls again");
  expect(await dialog.findByText("Another operator was faster.")).toBeVisible();

  service().on("POST /api/operator/breakers/:id/lift", { text: "Calls to +88 are allowed." });
  service().on("GET /api/operator/breakers", { spent: "412.50", breakers: [{ ...BREAKER, lifted_at: LONG_AGO }] });
  await person.click(dialog.getByRole("button", { name: "Allow these calls again" }));
  expect(await screen.findByText("Calls to +88 are allowed.")).toBeVisible();
  expect(service().asked("POST /api/operator/breakers/:id/lift").at(-1)).toMatchObject({ id: ID, body: { reason: "Agreed" } });
  await waitFor(() => expect(screen.queryByRole("button", { name: /^Allow these calls again/ })).toBeNull());
});

test.each([
  [
    "Block a caller ID",
    "POST /api/operator/caller-numbers/:number/block",
    { changed: true, removed: true },
    /^The number is removed/,
  ],
  ["Unblock a caller ID", "POST /api/operator/caller-numbers/:number/unblock", { changed: false }, "The number was not blocked."],
] as const)("%s: the number is typed and sent in the path", async (action, route, answer, outcome) => {
  service().on("GET /api/operator/breakers", EMPTY["GET /api/operator/breakers"]);
  service().on(route, refused("validation_failed", "No such number."));
  const person = await openConsole("/operator/protection");
  await person.click(await screen.findByRole("button", { name: action }));
  const dialog = dialogCalled(action);
  await person.click(dialog.getByRole("button", { name: action }));
  expect(dialog.getByText("Fill in: Number.")).toBeVisible();
  await person.type(dialog.getByLabelText("Number"), "+442079460000");
  await send(person, dialog, action);
  expect(await dialog.findByText("No such number.")).toBeVisible();
  service().on(route, answer);
  await person.click(dialog.getByRole("button", { name: action }));
  expect(await screen.findByText(outcome)).toBeVisible();
  expect(service().asked(route).at(-1)).toMatchObject({ id: encodeURIComponent("+442079460000"), body: { reason: "Agreed" } });
});

test("support blocks a caller id, but neither reads costs nor undoes", async () => {
  await openConsole("/operator/protection", sessionAs("support", "Eve"));
  expect(screen.getByRole("button", { name: "Block a caller ID" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Unblock a caller ID" })).toBeNull();
  expect(screen.queryByRole("heading", { name: "Breakers" })).toBeNull();
});

test.each(["promos", "reconciliation", "settings"])("support has no page %s", async (page) => {
  await openConsole(`/operator/${page}`, sessionAs("support", "Eve"));
  expect(screen.getByRole("heading", { name: "Your role has no pages here" })).toBeVisible();
});

test("a comparison shows its figures and each difference", async () => {
  service().on("GET /api/operator/reconciliation", COMPARED);
  await openConsole("/operator/reconciliation", sessionAs("finance"));
  expect(await screen.findByText("Differences for a person to look at: 2.")).toBeVisible();
  expect(screen.getByText("Set right").nextSibling).toHaveTextContent("2");
  expect(screen.getByText("Ledger", { selector: "dt" }).nextSibling).toHaveTextContent("$810.00");
  const cells = screen.getAllByRole("row").map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(cells).toEqual([
    ["Payment", "Provider", "Ledger", "What", "Found"],
    ["at the provider", "$10.00", "", "Charged at the provider, and no payment here", "2026-11-23 02:00:00 UTC"],
    ["payment", "", "$5.00", "Refunded twice", ""],
  ]);
});

test("a comparison is asked for, refused while another runs, and shown when it is done", async () => {
  service().on("GET /api/operator/reconciliation", EMPTY["GET /api/operator/reconciliation"]);
  service().on("POST /api/operator/reconciliation", refused("conflict", "A comparison is running."));
  const person = await openConsole("/operator/reconciliation", sessionAs("finance"));
  await person.click(await screen.findByRole("button", { name: "Compare with the payment provider" }));
  const dialog = dialogCalled("Compare with the payment provider");
  expect(dialog.getByLabelText("Days to compare")).toHaveValue("3");
  await send(person, dialog, "Compare with the payment provider");
  expect(await dialog.findByText("A comparison is running.")).toBeVisible();
  service().on("POST /api/operator/reconciliation", { repaired: 2, differences: 0 });
  service().on("GET /api/operator/reconciliation", { ...COMPARED, differences: [] });
  await person.click(dialog.getByRole("button", { name: "Compare with the payment provider" }));
  expect(await screen.findByText("2 payments set right. No differences.")).toBeVisible();
  expect(await screen.findByText("$820.00")).toBeVisible();
  expect(service().asked("POST /api/operator/reconciliation").at(-1)?.body).toEqual({ days: 3, reason: "Agreed" });
});

test("intake is reopened with a reason; if it is open, the form says so", async () => {
  service().on("GET /api/operator/reconciliation", COMPARED);
  service().on("POST /api/operator/intake/open", refused("conflict", "Intake is open."));
  const person = await openConsole("/operator/reconciliation", sessionAs("finance"));
  await person.click(await screen.findByRole("button", { name: "Reopen intake" }));
  const dialog = dialogCalled("Reopen intake");
  await send(person, dialog, "Reopen intake");
  expect(await dialog.findByText("Intake is open.")).toBeVisible();
  service().on("POST /api/operator/intake/open", undefined);
  await person.click(dialog.getByRole("button", { name: "Reopen intake" }));
  expect(await screen.findByText("Intake is open. The differences remain recorded.")).toBeVisible();
  expect(service().asked("POST /api/operator/intake/open").at(-1)?.body).toEqual({ reason: "Agreed" });
});

test("a setting shows who set it, its default and what applies later; finance only reads it", async () => {
  service().on("GET /api/operator/settings", {
    settings: [SETTING, { ...SETTING, name: "mark-up.percent", since: null, next: [] }],
  });
  await openConsole("/operator/settings", sessionAs("finance"));
  const group = within(await screen.findByRole("list", { name: "Calls of new customers" }));
  const row = within(group.getByRole("listitem", { name: TITLE }));
  for (const text of [
    "Spending per day",
    SETTING.name,
    "$20.00",
    "since 2020-01-01 08:00:00 UTC, by Joan",
    "default $10.00",
    "$30.00 from 2099-01-01 08:00:00 UTC, by Grace",
  ])
    expect(row.getByText(sentence(text))).toBeVisible();
  const other = screen.getByRole("listitem", { name: "Mark-up: percentage added to carrier prices" });
  expect(within(other).getByText("the default")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Change / })).toBeNull();
});

test("a setting is changed from its value; beyond what one operator may set it waits for another", async () => {
  service().on("GET /api/operator/settings", { settings: [SETTING] });
  service().on("POST /api/operator/settings/:setting", refused("validation_failed", "Between $0.00 and $500.00."));
  const person = await openConsole("/operator/settings");
  await person.click(await screen.findByRole("button", { name: `Change ${TITLE}` }));
  const dialog = dialogCalled(`Change ${TITLE}`);
  expect(dialog.getByText("One operator may set $0.00 to $50.00 alone. Accepted: $0.00 to $500.00.")).toBeVisible();
  const value = dialog.getByLabelText("New value");
  expect(value).toHaveValue("$20.00");
  await person.clear(value);
  await person.type(value, "$900.00");
  await send(person, dialog, "Change a setting");
  expect(await dialog.findByText("Between $0.00 and $500.00.")).toBeVisible();

  service().on("POST /api/operator/settings/:setting", { proposal: ID });
  await person.clear(value);
  await person.type(value, "$90.00");
  await person.click(dialog.getByRole("button", { name: "Change a setting" }));
  expect(await screen.findByRole("dialog", { name: "Awaiting approval" })).toBeVisible();
  const sent = service().asked("POST /api/operator/settings/:setting").at(-1);
  expect(sent).toMatchObject({ id: SETTING.name, body: { value: "$90.00", from: null, reason: "Agreed" } });
});

test("the history of a setting is read when it is opened, and can be read again after a failure", async () => {
  const history = "GET /api/operator/settings/:setting";
  const change = { value: "$20.00", from: LONG_AGO, operator: "Joan", reason: "Quiet month" };
  service().on("GET /api/operator/settings", { settings: [SETTING] });
  const answer = service().hold(history, refused("internal", "Something broke."));
  const person = await openConsole("/operator/settings");
  const button = await screen.findByRole("button", { name: `History of ${TITLE}` });
  await person.click(button);
  expect(await screen.findByRole("status")).toHaveTextContent("Loading");
  answer();
  expect(await screen.findByRole("alert")).toHaveTextContent("The history could not be loaded");
  service().on(history, { name: SETTING.name, default: "$10.00", values: [change], total: 1 });
  await person.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("by Joan: Quiet month")).toBeVisible();
  expect(screen.getByText("Before: the default, $10.00.")).toBeVisible();
  await person.click(button);
  expect(screen.queryByText("by Joan: Quiet month")).toBeNull();
});
