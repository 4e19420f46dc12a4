import type { WithdrawalQuote } from "@farline/contract/billing.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { anId, listOf, withdrawals } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, opensInside, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const region = async (name: string) => within(await screen.findByRole("region", { name }));
const DAY = "2026-05-18T09:00:00.000Z";

describe("withdrawing unused credit", () => {
  const VISA: WithdrawalQuote["parts"][number]["card"] = { brand: "visa", last4: "4242" };
  const QUOTE: WithdrawalQuote = {
    amount: "12.50",
    parts: [{ amount: "12.50", card: VISA }],
    balance: "18.904",
    bonus: "0.90",
    spent_bonus: "0.00",
    balance_after: "5.504",
  };
  const lines = (sums: readonly HTMLElement[]) => sums.map((sum) => `${sum.previousSibling?.textContent} ${sum.textContent}`);

  async function open(more = {}, quote: Partial<WithdrawalQuote> = {}) {
    service().on("GET /api/billing/withdrawals", withdrawals({ withdrawable: "18.00", ...more }));
    service().on("GET /api/billing/withdrawals/quote", { ...QUOTE, ...quote });
    const person = await openApp("/billing");
    const section = await region("Withdraw unused credit");
    return { person, section };
  }

  test("is hidden from customers who never had anything to withdraw", async () => {
    await openApp("/billing");
    await screen.findByText("No transactions yet");
    await waitFor(() => expect(service().asked("GET /api/billing/withdrawals")).not.toEqual([]));
    expect(screen.queryByRole("region", { name: "Withdraw unused credit" })).toBeNull();
  });

  test("accepts an amount within limits, asks for confirmation, and sends nothing when cancelled", async () => {
    const { person, section } = await open();
    expect(screen.getByRole("link", { name: "Withdraw Up to $18.00 back to you" })).toHaveAttribute("href", "/billing#withdraw");
    const amount = section.getByLabelText("Amount");
    expect(amount).toHaveAccessibleDescription("Up to $18.00");
    for (const typed of ["25", "0.50", "18.01"]) {
      await person.clear(amount);
      await person.type(amount, typed);
      await person.click(section.getByRole("button", { name: "Withdraw" }));
      await waitFor(() => expect(amount).toHaveAccessibleDescription("Enter $1.00 to $18.00"));
    }
    await person.clear(amount);
    await person.type(amount, "1,250");
    expect(amount).toHaveAccessibleDescription("Enter an amount in dollars, for example 10 or 12.50");
    await person.clear(amount);
    await person.type(amount, "12,50");
    const all = [
      "Balance now $18.9040",
      "Goes back to youVisa •••• 4242 −$12.5000",
      "Bonus removed −$0.9000",
      "Balance after $5.5040",
    ];
    await waitFor(() => expect(lines(section.getAllByRole("definition"))).toEqual(all));
    await person.click(section.getByRole("button", { name: "Withdraw" }));
    const dialog = within(screen.getByRole("dialog", { name: "Withdraw $12.50?" }));
    await waitFor(() => expect(lines(dialog.getAllByRole("definition"))).toEqual(all));
    await person.click(dialog.getByRole("button", { name: "Keep my credit" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(service().asked("POST /api/billing/withdrawals")).toEqual([]);
  });

  test("says what each card gets, and what replaces bonus already used", async () => {
    const parts = [
      { amount: "8.00", card: VISA },
      { amount: "3.00", card: null },
      { amount: "1.50", card: VISA },
    ];
    const sums = { balance: "18.00", bonus: "0.00", spent_bonus: "0.90", balance_after: "4.60" };
    const { section } = await open({}, { parts, ...sums });
    expect(await section.findByText("Visa •••• 4242: $9.50")).toBeVisible();
    expect(section.getByText("the way you paid: $3.00")).toBeVisible();
    expect(section.getByText("Bonus you have used").nextSibling).toHaveTextContent("−$0.90");
  });

  test("says why there are no figures, and offers no press without them", async () => {
    const { person, section } = await open();
    service().on("GET /api/billing/withdrawals/quote", refused("rate_limited", "You have withdrawn credit several times today."));
    await person.clear(section.getByLabelText("Amount"));
    await person.type(section.getByLabelText("Amount"), "9{Enter}");
    expect(await section.findByText("You have withdrawn credit several times today.")).toBeVisible();
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Withdraw $9.00" })).toBeDisabled();
  });

  test("sends the amount once with one key, and says that the money is on its way", async () => {
    const parts = [{ amount: "12.50", status: "pending", waits_for: "bank", card: { brand: "visa", last4: "4242" } }] as const;
    const withdrawal = { id: anId(), amount: "12.50", created_at: DAY, parts: [...parts] };
    const { person, section } = await open();
    await person.clear(section.getByLabelText("Amount"));
    await person.type(section.getByLabelText("Amount"), "12.50{Enter}");
    const dialog = within(screen.getByRole("dialog"));
    service().on("POST /api/billing/withdrawals", refused("unavailable", "Payments do not work right now."));
    await person.click(dialog.getByRole("button", { name: "Withdraw $12.50" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Payments do not work right now.");

    service().on("POST /api/billing/withdrawals", { withdrawal, balance: "5.50" });
    service().on("GET /api/billing/withdrawals", withdrawals({ withdrawable: "5.50", withdrawals: listOf([withdrawal]) }));
    await person.click(dialog.getByRole("button", { name: "Withdraw $12.50" }));
    expect(await screen.findByText("$12.50 is on its way back to you")).toBeVisible();
    expect(await within(await section.findByRole("listitem")).findByText(/Visa •••• 4242/)).toBeVisible();
    await waitFor(() => expect(section.getByLabelText("Amount")).toHaveAccessibleDescription("Up to $5.50"));
    const asked = service().asked("POST /api/billing/withdrawals");
    const body = { amount: "12.50", bonus_shown: "0.90" };
    expect(asked.map((one) => one.body)).toEqual([body, body]);
    expect(new Set(asked.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
  });

  test.each([
    ["bank", "On its way. Banks can take up to 10 days."],
    ["service", "On its way, but delayed on our side. We are working on it; you don’t need to do anything."],
    ["customer", "Our payment provider has sent you an email. Follow it to get your money."],
  ] as const)("a refund that waits for the %s says so", async (whom, text) => {
    const parts = [{ amount: "3.00", status: "pending" as const, waits_for: whom, card: null }];
    const { section } = await open({ withdrawals: listOf([{ id: anId(), amount: "3.00", created_at: DAY, parts }]) });
    expect(section.getByText(text)).toBeVisible();
  });

  test("shows a part that did not reach the card, the deduction for spent bonus, and credit paid by voucher", async () => {
    const parts = [{ amount: "3.00", status: "failed" as const, waits_for: null, card: null }];
    const withdrawal = { id: anId(), amount: "3.00", created_at: DAY, parts };
    const { section } = await open({ bonus_kept: "0.70", not_returnable: "20.00", withdrawals: listOf([withdrawal]) });
    expect(section.getByText("The refund did not arrive. The credit is back in your balance.")).toBeVisible();
    expect(section.getByText(/^\$0\.70 of your credit can’t be withdrawn/)).toBeVisible();
    expect(section.getByText(/^\$20\.00 of your credit was paid by voucher/)).toBeVisible();
    expect(opensInside(section.getByRole("link", { name: "Contact us" }))).toBe(true);
  });
});
