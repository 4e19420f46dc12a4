import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { anId } from "../../../../test/answers.ts";
import { refused } from "../../../../test/fake-service.ts";
import { downloaded, openApp, withFakeService } from "../../../../test/open-app.tsx";
import { monthsBetween } from "./documents-cards.tsx";

const service = withFakeService();

const DAY = "2026-05-18T09:00:00.000Z";

describe("the monthly statement", () => {
  test("balances, changes with its month, and is downloaded with a ticket", async () => {
    service().on("GET /api/billing/statements", { first_month: "2026-03", last_month: "2026-05" });
    service().on("GET /api/billing/statements/:month", ({ id }) => ({
      statement: {
        month: id,
        from: DAY,
        to: DAY,
        opening_balance: "1.00",
        change: id === "2026-05" ? "23.00" : "-0.50",
        closing_balance: id === "2026-05" ? "24.00" : "0.50",
        entries: 3,
        currency: "USD",
      },
    }));
    service().on("POST /api/billing/document-ticket", { ticket: "t 1", expires_at: DAY });
    const person = await openApp("/billing");
    const statement = within(await screen.findByRole("region", { name: "Monthly statement" }));
    expect((await statement.findByText("Closing balance")).closest("dt, th")?.nextSibling).toHaveTextContent("$24.00");
    expect(statement.getByText("3 entries").closest("dt, th")?.nextSibling).toHaveTextContent("+$23.00");
    await person.selectOptions(statement.getByLabelText("Month"), "2026-03");
    await waitFor(() => expect(statement.getByText("3 entries").closest("dt, th")?.nextSibling).toHaveTextContent("−$0.50"));
    await person.click(statement.getByRole("button", { name: "Download as CSV" }));
    await waitFor(() => expect(downloaded).toHaveBeenCalledWith("/api/billing/document?ticket=t+1"));
    expect(service().asked("POST /api/billing/document-ticket")[0]?.body).toEqual({
      type: "statement",
      month: "2026-03",
      format: "csv",
    });
    service().on("POST /api/billing/document-ticket", refused("rate_limited", "Too many downloads."));
    await person.click(statement.getByRole("button", { name: "Download as PDF" }));
    expect(await statement.findByRole("alert")).toHaveTextContent("Too many downloads.");
  });
});

describe("a receipt", () => {
  const receipt = {
    id: anId(),
    number: "2026-000042",
    kind: "payment",
    amount: "20.00",
    bonus: "1.00",
    currency: "USD",
    paid_at: DAY,
    issued_at: DAY,
    card: { brand: "visa", last4: "4242" },
    payment_id: anId(),
    buyer: { name: "Grace Mensah", email: "grace@example.com" },
    seller: { name: "Farline Sample Seller", address: ["1 Street"], tax_id: "DE123" },
    tax: { percent: "19", amount: "3.19" },
    tax_note: null,
    books_month: null,
    corrects: null,
    credited: "21.00",
    sample: true,
  } as const;

  test("has all required details, and is downloaded with a ticket", async () => {
    service().on("GET /api/billing/receipts/:id", {
      receipt: { ...receipt, seller: { ...receipt.seller, address: ["1 Street"] } },
    });
    service().on("POST /api/billing/document-ticket", { ticket: "t1", expires_at: DAY });
    const person = await openApp(`/billing/receipts/${receipt.id}`);
    const sheet = within(await screen.findByRole("article", { name: "Top-up" }));
    expect(sheet.getByText(/Receipt .?2026-000042/)).toBeVisible();
    expect(sheet.getByText("Paid").closest("dt, th")?.nextSibling).toHaveTextContent("$20.00");
    expect(sheet.getByText("Bonus credit, free of charge").closest("dt, th")?.nextSibling).toHaveTextContent("$1.00");
    expect(sheet.getByText("Credit received").closest("dt, th")?.nextSibling).toHaveTextContent("$21.00");
    expect(sheet.getByText(/^Tax included/).closest("dt, th")?.nextSibling).toHaveTextContent("$3.19");
    // By the direction of their own letters.
    for (const name of ["Farline Sample Seller", "1 Street", "Grace Mensah"]) expect(sheet.getByText(name).tagName).toBe("BDI");
    expect(sheet.getByText(/grace@example\.com/)).toBeVisible();
    expect(sheet.getByText("This is a sample. No real money moved.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Download PDF" }));
    await waitFor(() => expect(downloaded).toHaveBeenCalledWith("/api/billing/document?ticket=t1"));
    expect(service().asked("POST /api/billing/document-ticket")[0]?.body).toEqual({ type: "receipt", id: receipt.id });
  });

  test("of credit for somebody else shows no credit received", async () => {
    service().on("GET /api/billing/receipts/:id", {
      receipt: { ...receipt, seller: { ...receipt.seller, address: ["1 Street"] }, bonus: "0.00", credited: null },
    });
    await openApp(`/billing/receipts/${receipt.id}`);
    const sheet = within(await screen.findByRole("article", { name: "Top-up" }));
    expect(sheet.getByText("Paid").closest("dt, th")?.nextSibling).toHaveTextContent("$20.00");
    expect(sheet.queryByText("Credit received")).toBeNull();
  });

  test("of another customer is not found", async () => {
    service().on("GET /api/billing/receipts/:id", refused("not_found", "No such receipt."));
    await openApp(`/billing/receipts/${anId()}`);
    expect(await screen.findByRole("heading", { name: "Receipt not found" })).toBeVisible();
  });
});

test("months are listed from the last to the first, across the turn of a year", () => {
  expect(monthsBetween("2025-11", "2026-02")).toEqual(["2026-02", "2026-01", "2025-12", "2025-11"]);
  expect(monthsBetween("2026-02", "2026-02")).toEqual(["2026-02"]);
});

test("the list has a maximum length, whatever the first month is", () => {
  expect(monthsBetween("0000-01", "2026-02")).toHaveLength(120);
  expect(monthsBetween("2027-01", "2026-02")).toEqual([]);
});
