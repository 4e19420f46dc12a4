import type { MonthBooks, ProviderMonth } from "@farline/contract/operator/month.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sentence, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();

const BOOKS: MonthBooks = {
  month: "2026-10",
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-11-01T00:00:00.000Z",
  complete: true,
  opening: { total: "100.00", bought: "90.00", bonus: "10.00", owed: "1.50" },
  closing: { total: "107.25", bought: "98.25", bonus: "9.00", owed: "0.00" },
  movements: [
    { line: "top_up", count: 2, total: "40.00", bought: "40.00", bonus: "0.00" },
    { line: "charge", count: 31, total: "-32.7503", bought: "-31.7503", bonus: "-0.999999" },
  ],
  days: [{ day: "2026-10-04", top_ups: "40.00", charges: "32.75" }],
  taxes: [{ percent: "19", paid: "40.00", refunded: "0.00", tax: "6.39" }],
  late_receipts: [],
  faults: [],
};
const NOT_CONVERTED = { paid: null, rate: null, known: true };
const PROVIDER: ProviderMonth = {
  month: "2026-10",
  lines: [{ ...{ category: "charge", currency: "USD", count: 2, amount: "40.00", fee: "1.76", net: "38.24" }, ...NOT_CONVERTED }],
  provider_net: "40.00",
  ledger_net: "40.00",
  differences: [],
};
const DIFFERENCE = {
  payment_id: null,
  reference: "pi_stray",
  currency: "USD",
  provider: "5.00",
  ledger: "0.00",
  timing: false,
  text: "Not booked.",
};

function answers(books: MonthBooks = BOOKS, provider: ProviderMonth = PROVIDER): void {
  service().on("GET /api/operator/months/:month", { books, first_month: "2026-09", closing: null });
  service().on("GET /api/operator/months/:month/provider", provider);
}
const cellsOf = (name: string) =>
  within(screen.getByRole("region", { name }))
    .getAllByRole("row")
    .map((row) => [...row.children].map((cell) => cell.textContent));

test("the books of the month in the address, its tax, its provider's report and its days", async () => {
  answers();
  await openConsole("/operator/month?month=2026-10", sessionAs("finance"));
  expect(await screen.findByText("The ledger adds up. The month is over and not closed.")).toBeVisible();
  expect(cellsOf("Books")).toEqual([
    ["Line", "Count", "Total", "Bought", "Bonus"],
    ["Opening", "", "$100.00", "$90.00", "$10.00"],
    ["Top-ups", "2", "$40.00", "$40.00", "$0.00"],
    ["Charges of calls", "31", "−$32.75", "−$31.75", "−$0.99"],
    ["Closing", "", "$107.25", "$98.25", "$9.00"],
  ]);
  expect(screen.getByText("Tax of 19% in receipts: $6.39 of $40.00 paid and $0.00 refunded.")).toBeVisible();
  expect(await screen.findByText("Each payment moved the same amount as in the ledger.")).toBeVisible();
  expect(cellsOf("Balance report")[1]).toEqual(["Payments", "USD", "2", "40.00", "1.76", "38.24"]);
  expect(screen.getByRole("figure", { name: "Top-ups and charges by day (UTC)" })).toBeInTheDocument();
});

test("what does not add up, and payments that differ, are named", async () => {
  const text = "Opening and movements: $1.000000, closing: $2.000000; the difference is $-1.000000.";
  answers({ ...BOOKS, faults: [{ check: "movements", text }] }, { ...PROVIDER, differences: [DIFFERENCE] });
  await openConsole("/operator/month?month=2026-10");
  expect(await screen.findByText(text)).toBeVisible();
  expect(await screen.findByText("Differences from the ledger, for a person to look at: 1.")).toBeVisible();
  expect(cellsOf("Differences")[1]).toEqual(["at the provider", "5.00 USD", "$0.00", "Not booked."]);
});

test("receipts that came after their month was closed are named in both months", async () => {
  const late = { paid_month: "2026-09", books_month: "2026-10", count: 2, tax: "3.10" };
  const later = { paid_month: "2026-10", books_month: "2026-12", count: 1, tax: "-0.16" };
  answers({ ...BOOKS, late_receipts: [late, later] });
  await openConsole("/operator/month?month=2026-10", sessionAs("finance"));
  expect(await screen.findByText(/^Receipts of 2026-09 .*: 2, tax \$3\.10\. Their tax is in this month\.$/)).toBeVisible();
  expect(screen.getByText(/^Receipts of 2026-10 .*: 1, tax −\$0\.16\. Their tax is in 2026-12\.$/)).toBeVisible();
});

test("an account that settles elsewhere and serves another shop shows each currency, the rate and what is unknown", async () => {
  const lines = [
    {
      category: "charge",
      currency: "EUR",
      count: 1,
      amount: "18.42",
      fee: "0.80",
      net: "17.62",
      paid: "20.00",
      rate: "0.921000",
      known: true,
    },
    { ...{ category: "other_business", currency: "JPY", count: 1, amount: "3000", fee: "0", net: "3000" }, ...NOT_CONVERTED },
    {
      ...{ category: "new_thing", currency: "KWD", count: 1, amount: "1.234", fee: "0.000", net: "1.234" },
      ...NOT_CONVERTED,
      known: false,
    },
  ];
  answers(BOOKS, { ...PROVIDER, lines, provider_net: "20.00", ledger_net: "20.00" });
  await openConsole("/operator/month?month=2026-10");
  await screen.findByText(/The account settles in another currency/);
  expect(cellsOf("Balance report")).toEqual([
    ["Kind", "Currency", "Count", "Amount", "Fees", "Net", "Paid, US dollars", "Per dollar"],
    ["Payments", "EUR", "1", "18.42", "0.80", "17.62", "20.00", "0.921000"],
    ["Other business of this account", "JPY", "1", "3000", "0", "3000", "", ""],
    ["New thing (unknown to this version)", "KWD", "1", "1.234", "0.000", "1.234", "", ""],
  ]);
});

test("another month is chosen; a failed report can be read again", async () => {
  answers({ ...BOOKS, complete: false });
  service().on("GET /api/operator/months/:month/provider", refused("payment_provider_down", "The report could not be read."));
  const person = await openConsole("/operator/month?month=2026-10");
  expect(await screen.findByText("The report could not be read.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Close the month" })).toBeNull();
  answers();
  await person.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText(/Received less returned/)).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Month (UTC)"), "2026-09");
  await waitFor(() => expect(service().asked("GET /api/operator/months/:month").at(-1)?.id).toBe("2026-09"));
  expect(window.location.search).toBe("?month=2026-09");
});

test("a month without books says which months there are, and another one can be chosen", async () => {
  const text = "There are no books of 2024-03. They run from 2026-09 to 2026-11.";
  for (const path of ["GET /api/operator/months/:month", "GET /api/operator/months/:month/provider"] as const)
    service().on(path, refused("not_found", text));
  const person = await openConsole("/operator/month?month=2024-03");
  await waitFor(() => expect(screen.getAllByText(text)).toHaveLength(2));
  expect(screen.queryByRole("button", { name: "Download as CSV" })).toBeNull();
  answers();
  await person.selectOptions(screen.getByLabelText("Month (UTC)"), "2026-10");
  expect(await screen.findByText("The ledger adds up. The month is over and not closed.")).toBeVisible();
});

test("a month that is over is closed with a reason, and saved as a file", async () => {
  answers();
  const closing = { at: "2026-11-02T08:00:00.000Z", operator: "Grace", reason: "Month's end", books: BOOKS, provider: PROVIDER };
  service().on("POST /api/operator/months/:month/close", closing);
  service().on("POST /api/operator/months/:month/file", { file_name: "farline-month-2026-10.csv", text: "Books" });
  const person = await openConsole("/operator/month?month=2026-10");
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  await person.click(await screen.findByRole("button", { name: "Download as CSV" }));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  saved.mockRestore();
  await person.click(screen.getByRole("button", { name: "Close the month" }));
  const dialog = within(screen.getByRole("dialog", { name: "Close 2026-10" }));
  await person.type(dialog.getByLabelText("Reason"), "Month's end");
  service().on("GET /api/operator/months/:month", { books: BOOKS, first_month: "2026-09", closing });
  await person.click(dialog.getByRole("button", { name: "Close the month" }));
  expect(await screen.findByText(sentence("The ledger adds up. Closed by Grace on 2026-11-02 08:00:00 UTC."))).toBeVisible();
  expect(service().asked("POST /api/operator/months/:month/close")[0]?.body).toEqual({ reason: "Month's end" });
});

test("an operator without the right to see costs has no such page", async () => {
  await openConsole("/operator/month", sessionAs("support", "Eve"));
  expect(screen.getByRole("heading", { name: "Your role has no pages here" })).toBeVisible();
});
