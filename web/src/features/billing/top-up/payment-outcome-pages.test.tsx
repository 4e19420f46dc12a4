import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aBalance, anId } from "../../../../test/answers.ts";
import { refused } from "../../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";

const service = withFakeService();

describe("returning from the card page", () => {
  const paid = {
    status: "paid",
    amount: "20.00",
    balance: "25.00",
    currency: "USD",
    problem: null,
    presented: null,
    receipt_id: null,
    suggests_auto_top_up: false,
    gift: null,
  } as const;

  test("shows the amount the service reports, not the URL's", async () => {
    const receiptId = anId();
    service().on("POST /api/billing/confirm", { ...paid, amount: "21.00", paid: "20.00", receipt_id: receiptId });
    await openApp("/billing/success?session_id=session-1&amount=999");
    expect(await screen.findByRole("heading", { name: "Payment Successful" })).toBeVisible();
    const rows = within(screen.getByRole("region", { name: "Payment Successful" }));
    expect(rows.getByText("You paid").closest("dt, th")?.nextSibling).toHaveTextContent("$20.00");
    expect(rows.getByText("Credit added").closest("dt, th")?.nextSibling).toHaveTextContent("$21.00");
    expect(rows.getByText("New balance").closest("dt, th")?.nextSibling).toHaveTextContent("USD $25.00");
    expect(rows.getByText("Your credit is ready to use.")).toBeVisible();
    expect(rows.getByRole("link", { name: "See the receipt" })).toHaveAttribute("href", `/billing/receipts/${receiptId}`);
    expect(service().asked("POST /api/billing/confirm")[0]?.body).toEqual({ session_id: "session-1" });
  });

  test("of credit for somebody else says who has it, and nothing about one's own credit", async () => {
    service().on("POST /api/billing/confirm", { ...paid, gift: { name: "Ama", is_given: true } });
    await openApp("/billing/success?session_id=session-1");
    const rows = within(await screen.findByRole("region", { name: "Payment Successful" }));
    expect(rows.getByText("Ama has the credit now.")).toBeVisible();
    expect(rows.getByText("Credit for Ama").closest("dt, th")?.nextSibling).toHaveTextContent("$20.00");
    expect(rows.queryByText("New balance")).toBeNull();
    expect(rows.queryByRole("link", { name: "Make a Call" })).toBeNull();
  });

  test("of credit that the other person could not receive says that it is the payer's", async () => {
    service().on("POST /api/billing/confirm", { ...paid, gift: { name: "Ama", is_given: false } });
    await openApp("/billing/success?session_id=session-1");
    expect(await screen.findByText("Ama could not receive it. The credit is yours.")).toBeVisible();
    expect(screen.getByText("New balance").closest("dt, th")?.nextSibling).toHaveTextContent("USD $25.00");
  });

  test("suggests automatic top-ups only if the service says so", async () => {
    service().on("POST /api/billing/confirm", { ...paid, suggests_auto_top_up: true });
    await openApp("/billing/success?session_id=session-1");
    const suggestion = await screen.findByText(/^Your credit ran low again\./);
    expect(
      within(suggestion.closest("[role=status]") as HTMLElement).getByRole("link", { name: "Set up automatic top-up" }),
    ).toHaveAttribute("href", "/billing#auto-top-up");
    service().on("POST /api/billing/confirm", paid);
    await openApp("/billing/success?session_id=session-2");
    await waitFor(() => expect(screen.getAllByRole("heading", { name: "Payment Successful" })).toHaveLength(2));
    expect(screen.getAllByText(/^Your credit ran low again\./)).toHaveLength(1);
  });

  test("polls a payment that is still open", async () => {
    let answer: typeof paid | Record<string, unknown> = { ...paid, status: "open" };
    service().on("POST /api/billing/confirm", () => answer as never);
    await openApp("/billing/success?session_id=session-2");
    expect(await screen.findByText("Updating your balance...")).toBeVisible();
    answer = paid;
    expect(await screen.findByRole("heading", { name: "Payment Successful" })).toBeVisible();
  });

  test("says that the money is on its way, and stops polling", async () => {
    service().on("POST /api/billing/confirm", { ...paid, status: "pending" });
    await openApp("/billing/success?session_id=session-3");
    expect(await screen.findByRole("heading", { name: "Waiting for your money" })).toBeVisible();
    expect(screen.getByText(/A bank payment can take some days/)).toBeVisible();
    expect(screen.getByRole("link", { name: "View Billing" })).toHaveAttribute("href", "/billing");
  });

  test.each([
    ["18.40", "EUR", "€18.40"],
    ["3000", "JPY", "¥3,000"],
    // Without a smaller unit in use, whatever decimals the provider counts in.
    ["2800.00", "ISK", "ISK 2,800"],
    ["7800.00", "HUF", "HUF 7,800"],
  ])("shows %s %s as the amount in the payer's own currency", async (amount, currency, text) => {
    service().on("POST /api/billing/confirm", { ...paid, presented: { amount, currency } });
    await openApp("/billing/success?session_id=session-4");
    expect((await screen.findByText("You paid")).closest("dt, th")?.nextSibling).toHaveTextContent(text);
  });

  test("with a declined bank confirmation says so and offers another attempt", async () => {
    const id = anId();
    service().on("POST /api/billing/confirm", { ...paid, status: "failed", problem: "not_confirmed" });
    await openApp(`/billing/success?payment_id=${id}`);
    expect(await screen.findByRole("heading", { name: "Payment not completed" })).toBeVisible();
    expect(screen.getByText(/^Your bank could not confirm that it was you\./)).toBeVisible();
    expect(screen.getByRole("link", { name: "Try Again" })).toHaveAttribute("href", "/topup");
    expect(service().asked("POST /api/billing/confirm")[0]?.body).toEqual({ payment_id: id });
  });

  test("with another customer's payment shows not found", async () => {
    service().on("POST /api/billing/confirm", refused("not_found", "No such payment."));
    await openApp("/billing/success?session_id=somebody-elses");
    expect(await screen.findByRole("heading", { name: "Payment not found" })).toBeVisible();
  });

  test("without the payment in the address refreshes the balance and does not say that the payment failed", async () => {
    const release = service().hold("GET /api/billing/balance", aBalance({ balance: "25.00" }));
    await openApp("/billing/success");
    expect(await screen.findByText("Updating your balance...")).toBeVisible();
    release();
    expect(await screen.findByRole("heading", { name: "Your balance is USD $25.00" })).toBeVisible();
    expect(screen.getByText(/^If you have just paid, your credit is added as soon as/)).toBeVisible();
    expect(service().asked("POST /api/billing/confirm")).toEqual([]);
  });

  test("without paying says that nothing was charged", async () => {
    await openApp("/billing/cancel");
    expect(await screen.findByRole("heading", { name: "Payment Cancelled" })).toBeVisible();
    expect(screen.getByText("No charges were made.")).toBeVisible();
    expect(screen.getByRole("link", { name: "Go to Dashboard" })).toHaveAttribute("href", "/dashboard");
    expect(screen.getByRole("link", { name: "Try Again" })).toHaveAttribute("href", "/topup");
  });
});
