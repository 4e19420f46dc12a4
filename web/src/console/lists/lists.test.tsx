import type { ListedCall, ListedCustomer, ListedPayment } from "@farline/contract/operator/lists.ts";
import { act, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { AT, CALL, CUSTOMER } from "../../../test/console-customer.ts";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sessionAs, sentence, withConsoleService } from "../../../test/open-console.tsx";
import { chooseZone } from "../shell/texts.ts";

const service = withConsoleService();

const OWNER = { customer_id: CUSTOMER, name: "Ada Kovács", email: "ada@example.com", at: AT };
const PAYMENT: ListedPayment = {
  ...OWNER,
  id: CALL,
  amount: "20.00",
  status: "failed",
  refunded: "0.00",
  disputed: false,
  reason: "card_declined",
  card: "visa 4242",
};
const LISTED_CALL: ListedCall = {
  ...OWNER,
  id: CALL,
  destination: "+2348030000142",
  country_code: "NG",
  trunk: "main",
  status: "failed",
  end_reason: "no_answer",
  seconds: 0,
  charge: "0.00",
  cost: "0.01",
};
const LISTED_CUSTOMER: ListedCustomer = { ...OWNER, email_verified: false, state: "frozen", reason: "payment", balance: "12.50" };

const page = <Row,>(rows: Row[], more: Partial<{ next_cursor: string; searched_to: string; network_cut: boolean }> = {}) => ({
  rows,
  next_cursor: null,
  searched_to: null,
  network_cut: false,
  count: { rows: rows.length, more: false },
  ...more,
});

test("a link leads to a filtered list; tabs and filters change the address, and Back restores it", async () => {
  service().on("GET /api/operator/lists/payments", page([PAYMENT]));
  const person = await openConsole("/operator/payments?state=failed&from=2026-11-01");
  const row = within(await screen.findByRole("table")).getAllByRole("row")[1]!;
  expect(row).toHaveTextContent("Ada Kovács");
  expect(row).toHaveTextContent("$20.00FailedThe bank gives no reasonVisa •••• 4242");
  expect(within(row).getByRole("link")).toHaveAttribute("href", `/operator/customers/${CUSTOMER}`);
  expect(screen.getByRole("heading", { name: "1 payment" })).toBeVisible();
  expect(screen.getByLabelText("From day (UTC)")).toHaveValue("2026-11-01");
  await person.type(screen.getByLabelText("At least"), "10{Enter}");
  expect(window.location.search).toBe("?state=failed&from=2026-11-01&least=10");
  await person.click(screen.getByRole("link", { name: "Disputed" }));
  const queries = () =>
    service()
      .asked("GET /api/operator/lists/payments")
      .map((request) => request.query);
  await expect.poll(queries).toContainEqual({ state: "disputed", from: "2026-11-01", least: "10" });
  window.history.back();
  await expect.poll(() => screen.getByRole("link", { name: "Failed" }).getAttribute("aria-current")).toBe("page");
  await person.click(screen.getByRole("button", { name: "Clear" }));
  expect(window.location.search).toBe("");
});

test("days are those of the clock that writes the times, and a link keeps its days", async () => {
  const own = vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions");
  own.mockReturnValue({ ...new Intl.DateTimeFormat("en").resolvedOptions(), timeZone: "America/New_York" });
  chooseZone(true);
  service().on("GET /api/operator/lists/calls", page([LISTED_CALL]));
  const person = await openConsole("/operator/calls");
  await person.type(await screen.findByLabelText("From day (America/New_York)"), "2026-11-01{Enter}");
  expect(window.location.search).toBe("?from=2026-11-01&zone=America%2FNew_York");
  act(() => chooseZone(false));
  expect(screen.getByLabelText("To day (America/New_York)")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByLabelText("From day (UTC)")).toHaveValue("");
  own.mockRestore();
});

test("a choice applies at once, and pages follow each other", async () => {
  service().on("GET /api/operator/lists/calls", ({ query: { cursor } }) =>
    cursor === undefined
      ? { ...page([LISTED_CALL], { next_cursor: "next" }), count: { rows: 10_000, more: true } }
      : { ...page([{ ...LISTED_CALL, id: CUSTOMER, destination: "+2348030000199" }]), count: null },
  );
  const person = await openConsole("/operator/calls");
  expect(await screen.findByRole("heading", { name: "More than 10,000 calls" })).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Country"), "Nigeria");
  expect(window.location.search).toBe("?country=NG");
  await person.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText("+234 803 000 0199")).toBeVisible();
  expect(service().asked("GET /api/operator/lists/calls").at(-1)?.query).toEqual({ country: "NG", cursor: "next" });
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  expect(screen.getAllByRole("row")[1]).toHaveTextContent("No answer");
});

test("why a payment failed is chosen and shown in words", async () => {
  service().on("GET /api/operator/lists/payments", page([{ ...PAYMENT, reason: "a_new_code" }]));
  const person = await openConsole("/operator/payments");
  expect(await screen.findByText("A new code")).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Reason"), "The bank gives no reason");
  expect(window.location.search).toBe("?reason=card_declined");
  await person.selectOptions(screen.getByLabelText("Reason"), "Another reason");
  expect(window.location.search).toBe("?reason=other");
  expect(document.body.innerHTML.replaceAll(/ (value|title)="[^"]*"/g, "")).not.toMatch(/[a-z]_(declined|code)/);
});

test("a list that was searched in part says how far, and leads on", async () => {
  const part = page<ListedCall>([], { next_cursor: "older", searched_to: AT });
  service().on("GET /api/operator/lists/calls", { ...part, count: { rows: 0, more: true } });
  await openConsole("/operator/calls?prefix=%2B999");
  expect(await screen.findByText(sentence(/^Searched back to 2026-.*Older calls may match/))).toBeVisible();
  expect(screen.getByRole("button", { name: "Show more" })).toBeVisible();
  expect(screen.queryByText("No calls match")).toBeNull();
});

test("an empty list, one that nothing matches, and a refused filter each say so", async () => {
  service().on("GET /api/operator/lists/customers", page<ListedCustomer>([]));
  const person = await openConsole("/operator/customers");
  expect(await screen.findByText("There are no customers yet")).toBeVisible();
  await person.click(screen.getByRole("link", { name: "Frozen" }));
  expect(await screen.findByText("No customers match")).toBeVisible();
  service().on("GET /api/operator/lists/customers", refused("validation_failed", "Enter an IP address or its network."));
  await person.type(screen.getByLabelText("Network"), "office{Enter}");
  expect(await screen.findByText("Enter an IP address or its network.")).toBeVisible();
});

test("the list is saved as a file with its filters, which may take minutes, only by roles that may", async () => {
  service().on("GET /api/operator/lists/customers", page([LISTED_CUSTOMER], { network_cut: true }));
  service().on("GET /api/operator/lists/customers/file", new Blob(["Customer"], { type: "text/csv" }));
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  const person = await openConsole("/operator/customers?state=frozen&network=203.0.113.7");
  expect(await screen.findByText(/This network has more customers/)).toBeVisible();
  expect(screen.getByText("Frozen: a payment is being reviewed")).toBeVisible();
  const limits = vi.spyOn(AbortSignal, "timeout");
  await person.click(screen.getByRole("button", { name: "Download as CSV" }));
  await expect.poll(() => saved.mock.calls.length).toBe(1);
  expect(limits).toHaveBeenCalledWith(180_000);
  const [asked] = service().asked("GET /api/operator/lists/customers/file");
  expect(asked?.query).toEqual({ state: "frozen", network: "203.0.113.7" });
  saved.mockRestore();
});

test("support sees neither costs nor the key for files", async () => {
  service().on("GET /api/operator/lists/calls", page([{ ...LISTED_CALL, cost: null }]));
  await openConsole("/operator/calls", sessionAs("support", "Eve"));
  expect(await screen.findByRole("table")).toBeVisible();
  expect(screen.queryByRole("columnheader", { name: "Cost" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Download as CSV" })).toBeNull();
});
