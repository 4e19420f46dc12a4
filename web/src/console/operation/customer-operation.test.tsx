import type { OperationName } from "@farline/contract/operator/operations.ts";
import type { OperatorCustomerResponse, TimelineEntry } from "@farline/contract/operator/customers.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { AT, CALL, CUSTOMER, CUSTOMER_PAGE } from "../../../test/console-customer.ts";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();
const PAYMENT = "0199bbbb-0000-7000-8000-0000000000ee";
const ENTRY: TimelineEntry = {
  type: "payment",
  id: PAYMENT,
  at: AT,
  amount: "20.00",
  balance_after: "20.00",
  state: "paid",
  kind: "custom",
  facts: { method: "visa 4242" },
  can: ["refund"],
};

beforeEach(() => service().on("GET /api/operator/customers/:id/timeline", { entries: [], next_cursor: null }));

/** Opens the customer's page, where these actions are possible, and presses a button. */
async function press(name: RegExp, can: readonly OperationName[], changes: Partial<OperatorCustomerResponse> = {}) {
  service().on("GET /api/operator/customers/:id", { ...CUSTOMER_PAGE, ...changes, can: [...can] });
  const person = await openConsole(`/operator/customers/${CUSTOMER}`);
  await person.click(await screen.findByRole("button", { name }));
  return { person, dialog: within(screen.getByRole("dialog")) };
}

async function pressInTimeline(name: RegExp, entry: TimelineEntry) {
  service().on("GET /api/operator/customers/:id/timeline", { entries: [entry], next_cursor: null });
  return press(name, []);
}

const bodiesOf = (name: Parameters<ReturnType<typeof service>["asked"]>[0]) => service().bodies(name);

test("an account is frozen with what its customer is told, and a reason", async () => {
  service().on("POST /api/operator/customers/:id/freeze", { changed: true });
  const { person, dialog } = await press(/^Freeze/, ["freeze"]);
  await person.click(dialog.getByRole("button", { name: "Freeze" }));
  expect(await dialog.findByText("Enter a reason.")).toBeVisible();
  await person.selectOptions(dialog.getByLabelText("Reason shown to the customer"), "calls");
  await person.type(dialog.getByLabelText("Reason"), "A script dials");
  await person.click(dialog.getByRole("button", { name: "Freeze" }));
  expect(await screen.findByText("The account is frozen.")).toBeVisible();
  expect(bodiesOf("POST /api/operator/customers/:id/freeze")).toEqual([{ because: "calls", reason: "A script dials" }]);
});

test.each([
  [
    "unfreeze",
    /^Unfreeze/,
    "POST /api/operator/customers/:id/unfreeze",
    { changed: true, proposal: null },
    "The account is open again.",
  ],
  [
    "confirm-address",
    /^Confirm/,
    "POST /api/operator/customers/:id/confirm-address",
    { changed: false },
    "The address was confirmed already.",
  ],
  [
    "resend-verification",
    /^Send/,
    "POST /api/operator/customers/:id/resend-verification",
    { changed: true },
    "The link is on its way.",
  ],
  [
    "end-sessions",
    /^Sign out every/,
    "POST /api/operator/customers/:id/end-sessions",
    undefined,
    "The customer is signed out everywhere.",
  ],
  ["hang-up", /^Hang up/, "POST /api/operator/calls/hang-up", { ended: 2 }, "2 calls are being hung up."],
  ["write-off", /^Write off/, "POST /api/operator/customers/:id/write-off", { proposal: null }, "The debt is written off."],
] as const)("%s says what was done", async (...[action, name, endpoint, answer, text]) => {
  service().on(endpoint, answer);
  const { person, dialog } = await press(name, [action]);
  await person.type(dialog.getByLabelText("Reason"), "They called{Enter}");
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(bodiesOf(endpoint)).toEqual([expect.objectContaining({ reason: "They called" })]);
});

test("a correction is previewed, and sent with the same key until the same is sent again on purpose", async () => {
  service().on(
    "POST /api/operator/customers/:id/deduct",
    refused("conflict", "Grace did the same.", { reason: "operator.done_before" }),
  );
  const money = { ...CUSTOMER_PAGE.money, debt: "2.00" };
  const { person, dialog } = await press(/^Correct/, ["adjust"], { money });
  await person.type(dialog.getByLabelText("Amount"), "5");
  await person.type(dialog.getByLabelText("Reason"), "Charged twice{Enter}");
  expect(await dialog.findByText("Choose whether to add or to take credit.")).toBeVisible();
  expect(bodiesOf("POST /api/operator/customers/:id/adjust")).toEqual([]);
  await person.selectOptions(dialog.getByLabelText("Direction"), "add");
  expect(dialog.getByText("Balance afterwards").closest("div")).toHaveTextContent("$15.50");
  expect(dialog.getByText("Repays debt").closest("div")).toHaveTextContent("$2.00");
  await person.selectOptions(dialog.getByLabelText("Direction"), "take");
  expect(dialog.getByText("Balance afterwards").closest("div")).toHaveTextContent("$7.50");
  await person.click(dialog.getByRole("button", { name: "Take credit" }));
  expect(await dialog.findByText("Grace did the same.")).toBeVisible();
  await person.click(dialog.getByLabelText("Yes, do it again"));
  service().on("POST /api/operator/customers/:id/deduct", { proposal: null });
  await person.click(dialog.getByRole("button", { name: "Take credit" }));
  expect(await screen.findByText("The credit is taken.")).toBeVisible();
  const [first, second] = bodiesOf("POST /api/operator/customers/:id/deduct") as { key: string }[];
  expect(first).toMatchObject({ amount: "5.00", reason: "Charged twice", again: false });
  expect(second).toEqual({ ...first, again: true });
});

test("a refund shows what becomes a debt, and a large one waits for a second operator", async () => {
  const preview = {
    payment: { id: PAYMENT, customer_id: CUSTOMER, amount: "20.00", method: "visa 4242" },
    amount: "20.00",
    left: "20.00",
    unspent: "12.00",
    kept: "0.00",
    debt: "8.00",
    alone: "20.00",
  };
  service().on("GET /api/operator/payments/:id/refund", ({ query }) =>
    query["amount"] === undefined ? preview : { ...preview, amount: "5.00", debt: "0.00" },
  );
  service().on("POST /api/operator/payments/:id/refund", { proposal: PAYMENT, failure: null });
  const { person, dialog } = await pressInTimeline(/^Refund/, ENTRY);
  expect(await dialog.findByText("$20.00 to Visa •••• 4242")).toBeVisible();
  await person.click(dialog.getByLabelText("$8.00 already spent; record it as debt"));
  await person.type(dialog.getByLabelText("Amount"), "5");
  expect(await dialog.findByText("$5.00 to Visa •••• 4242")).toBeVisible();
  await waitFor(() => expect(dialog.queryByRole("checkbox")).toBeNull());
  await person.type(dialog.getByLabelText("Reason"), "Asked for by phone{Enter}");
  expect(await screen.findByRole("link", { name: "See the proposals" })).toHaveAttribute("href", "/operator/queue?kind=approval");
  expect(bodiesOf("POST /api/operator/payments/:id/refund")).toEqual([
    expect.objectContaining({ amount: "5.00", force: false, reason: "Asked for by phone" }),
  ]);
});

test("a call is refunded from the timeline, or hung up while it runs", async () => {
  const call: TimelineEntry = {
    ...ENTRY,
    type: "call",
    id: CALL,
    amount: "0.06",
    state: "completed",
    kind: null,
    facts: { number: "+442079460000" },
    can: ["refund-call"],
  };
  service().on("POST /api/operator/calls/:id/refund", { proposal: null });
  const { person, dialog } = await pressInTimeline(/^Refund the call/, call);
  expect(dialog.getByText(/\$0\.06/)).toBeVisible();
  await person.type(dialog.getByLabelText("Reason"), "No sound{Enter}");
  expect(await screen.findByText("The charge is back on the customer's account.")).toBeVisible();
  expect(service().asked("POST /api/operator/calls/:id/refund")[0]).toMatchObject({
    id: CALL,
    body: { reason: "No sound", answer: null },
  });
});

test("a limit is raised until a day, and one that is set is ended", async () => {
  service().on("POST /api/operator/customers/:id/terms", { proposal: null });
  const { person, dialog } = await press(/^Change a limit/, ["set-term"]);
  await person.selectOptions(dialog.getByLabelText("New trust"), "trusted");
  await person.clear(dialog.getByLabelText("Until the end of"));
  await person.type(dialog.getByLabelText("Until the end of"), "2026-12-31");
  await person.type(dialog.getByLabelText("Reason"), "Known by phone{Enter}");
  expect(await screen.findByText("The limit is changed.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: /^Change a limit/ }));
  const again = within(screen.getByRole("dialog"));
  await person.selectOptions(again.getByLabelText("Limit"), "spend-per-day");
  await person.selectOptions(again.getByLabelText("Change"), "earned");
  await person.type(again.getByLabelText("Reason"), "Paid{Enter}");
  expect(await screen.findByText("What the customer has earned applies again.")).toBeVisible();
  expect(bodiesOf("POST /api/operator/customers/:id/terms")).toEqual([
    { name: "tier", value: "trusted", until: "2026-12-31T23:59:59.999Z", reason: "Known by phone" },
    { name: "spend-per-day", value: "earned", reason: "Paid" },
  ]);
});

test.each(["1,250", "0"])("a refund of %s is neither previewed nor sent, and the field says why", async (typed) => {
  const preview = {
    payment: { id: PAYMENT, customer_id: CUSTOMER, amount: "20.00", method: "visa 4242" },
    ...{ amount: "20.00", left: "20.00", unspent: "20.00", kept: "0.00", debt: "0.00", alone: "20.00" },
  };
  service().on("GET /api/operator/payments/:id/refund", ({ query }) => ({ ...preview, amount: query["amount"] ?? "20.00" }));
  const { person, dialog } = await pressInTimeline(/^Refund/, ENTRY);
  expect(await dialog.findByText("$20.00 to Visa •••• 4242")).toBeVisible();
  const amount = dialog.getByLabelText("Amount");
  await person.type(amount, typed);
  await waitFor(() => expect(dialog.queryByText(/to Visa •••• 4242$/)).toBeNull());
  expect(amount).toHaveAccessibleDescription("Enter an amount in dollars, for example 10 or 12.50");
  await person.type(dialog.getByLabelText("Reason"), "Asked for by phone{Enter}");
  expect(bodiesOf("POST /api/operator/payments/:id/refund")).toEqual([]);
  await person.clear(amount);
  await person.type(amount, "12,50");
  expect(await dialog.findByText("$12.50 to Visa •••• 4242")).toBeVisible();
});

test("a correction that cannot be read is neither previewed nor sent, and the field says why", async () => {
  const { person, dialog } = await press(/^Correct/, ["adjust"]);
  await person.selectOptions(dialog.getByLabelText("Direction"), "add");
  await person.type(dialog.getByLabelText("Amount"), "1,250");
  expect(dialog.queryByText("Balance afterwards")).toBeNull();
  expect(dialog.getByLabelText("Amount")).toHaveAccessibleDescription("Enter an amount in dollars, for example 10 or 12.50");
  await person.type(dialog.getByLabelText("Reason"), "Charged twice{Enter}");
  expect(bodiesOf("POST /api/operator/customers/:id/adjust")).toEqual([]);
});

test("a session that ended while a form was filled in is renewed in place, and the form is sent as it was typed", async () => {
  const freeze = "POST /api/operator/customers/:id/freeze";
  service().on(freeze, refused("unauthenticated"));
  const { person, dialog } = await press(/^Freeze/, ["freeze"]);
  await person.selectOptions(dialog.getByLabelText("Reason shown to the customer"), "calls");
  await person.type(dialog.getByLabelText("Reason"), "A script dials");
  await person.click(dialog.getByRole("button", { name: "Freeze" }));
  const proof = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  await person.click(proof.getByRole("button", { name: "Cancel" }));
  expect(dialog.getByLabelText("Reason")).toHaveValue("A script dials");

  await person.click(dialog.getByRole("button", { name: "Freeze" }));
  service().on("POST /api/operator/sign-in", sessionAs());
  service().on(freeze, { changed: true });
  const again = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  await person.type(again.getByLabelText("Password"), "seven blue umbrellas");
  await person.type(again.getByLabelText("Code of your authenticator"), "123456{Enter}");
  expect(await screen.findByText("The account is frozen.")).toBeVisible();
  expect(bodiesOf(freeze).at(-1)).toEqual({ because: "calls", reason: "A script dials" });
});
