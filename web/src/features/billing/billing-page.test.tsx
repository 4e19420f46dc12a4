import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aBalance, aCard, aConfig, anId, aTransaction, autoTopUp, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const region = async (name: string) => within(await screen.findByRole("region", { name }));
const DAY = "2026-05-18T09:00:00.000Z";

describe("the transactions", () => {
  test("show an empty state, like the receipts", async () => {
    await openApp("/billing");
    expect(await screen.findByText("No transactions yet")).toBeVisible();
    expect(await screen.findByText(/^Your receipts appear here/)).toBeVisible();
    expect(await screen.findByText("0 transactions")).toBeVisible();
  });

  test("show sign, balance, reason and a link to their source", async () => {
    const callId = anId();
    const receiptId = anId();
    service().on("GET /api/billing/balance", aBalance({ held: "0.50", bonus: "1.00" }));
    service().on("GET /api/billing/transactions", {
      transactions: listOf(
        [
          aTransaction({ amount: "12.00", balance_after: "12.00", receipt_id: receiptId }),
          aTransaction({
            type: "debit",
            kind: "call",
            description: "Call to +233 20 000 0142",
            amount: "0.213000",
            balance_after: "11.787000",
            reference_id: callId,
          }),
          aTransaction({ status: "pending", amount: "9.00", balance_after: null }),
          aTransaction({ status: "failed", amount: "8.00", balance_after: null, problem: "declined" }),
          aTransaction({ status: "cancelled", amount: "7.00", balance_after: null, problem: "not_finished" }),
          aTransaction({ kind: "bonus", about: "promo_code", promo_code: "SPRING10", amount: "2.00", balance_after: "14.00" }),
        ],
        { total: 3 },
      ),
    });
    await openApp("/billing");
    const list = await region("Transaction history");
    await list.findByText("Top-up", { selector: "li:first-child *" });
    const [topUp, call, pending, failed, left, bonus] = list.getAllByRole("listitem");
    expect(topUp).toHaveTextContent(/\+\$12\.00Balance \$12\.00/);
    expect(within(topUp as HTMLElement).getByRole("link", { name: "Receipt" })).toHaveAttribute(
      "href",
      `/billing/receipts/${receiptId}`,
    );
    expect(call).toHaveTextContent(/Call to .?\+233 20 000 0142/);
    expect(call).toHaveTextContent(/−\$0\.2130/);
    expect(within(call as HTMLElement).getByRole("link", { name: "Call details" })).toHaveAttribute("href", `/call/${callId}`);
    expect(pending).toHaveTextContent("Waiting for the payment");
    expect(pending).not.toHaveTextContent("Balance $");
    expect(within(failed as HTMLElement).getByRole("img", { name: "No credit added" })).toBeInTheDocument();
    expect(failed).toHaveTextContent("Your bank declined the card.");
    expect(failed).not.toHaveTextContent("Balance $");
    expect(left).toHaveTextContent("The payment was not finished in time.");
    expect(within(left as HTMLElement).getByText("cancelled")).toBeVisible();
    expect(bonus).toHaveTextContent(/Bonus credit, code .?SPRING10/);
    expect(list.getByText("Set aside for a call")).toBeVisible();
    expect(screen.getByText("3 transactions")).toBeVisible();
    expect(screen.getByText("Free credit").nextSibling).toHaveTextContent("$1.00");
    expect(screen.getByText("$0.50 is set aside for a call")).toBeVisible();
  });

  test("let a payment that was left be paid or ended, and one that ended be paid again", async () => {
    const unpaid = { amount: "9.00", balance_after: null, problem: null } as const;
    const open = aTransaction({ ...unpaid, status: "pending", checkout_url: "https://pay.example/9" });
    const ended = { ...open, status: "cancelled", problem: "not_finished", checkout_url: null, can_pay_again: true } as const;
    service().on("GET /api/billing/transactions", { transactions: listOf([open]) });
    service().on("POST /api/billing/payments/:id/end", refused("payment_provider_down", "The payment could not be ended."));
    const person = await openApp("/billing");
    const list = await region("Transaction history");
    expect(await list.findByText("Not paid", { selector: "li *" })).toBeVisible();
    expect(list.queryByText("pending")).toBeNull();
    await person.click(list.getByRole("button", { name: "Pay $9.00" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://pay.example/9"));
    await person.click(list.getByRole("button", { name: "End the payment of $9.00" }));
    expect(await list.findByRole("alert")).toHaveTextContent("The payment could not be ended.");
    service().on("POST /api/billing/payments/:id/end", undefined);
    service().on("GET /api/billing/transactions", { transactions: listOf([ended]) });
    await person.click(list.getByRole("button", { name: "End the payment of $9.00" }));
    expect(await list.findByRole("link", { name: "Pay $9.00 again" })).toHaveAttribute("href", "/topup?amount=9.00");
    expect(list.queryByRole("button", { name: "Pay $9.00" })).toBeNull();
  });

  test("name the contact who was called, with the number beneath", async () => {
    const call = { type: "debit", kind: "call", description: "Call to +233 20 000 0142" } as const;
    service().on("GET /api/billing/transactions", { transactions: listOf([aTransaction({ ...call, contact_name: "Mama" })]) });
    await openApp("/billing");
    const list = await region("Transaction history");
    const row = (await list.findByText("Mama", { selector: "li *" })).closest("li");
    expect(row).toHaveTextContent(/^Mama.?\+233 20 000 0142/);
    expect(row).not.toHaveTextContent("Call to");
  });

  test("say that decimals are cut where they are", async () => {
    const whole = aTransaction({ amount: "12.00", balance_after: "12.00" });
    service().on("GET /api/billing/transactions", { transactions: listOf([whole]) });
    await openApp("/billing");
    const list = await region("Transaction history");
    await list.findByText("Top-up", { selector: "li *" });
    expect(list.queryByText(/cut to 4 decimals/)).toBeNull();
    const call = aTransaction({ type: "debit", kind: "call", amount: "0.004702", balance_after: "11.995298" });
    service().on("GET /api/billing/transactions", { transactions: listOf([call, whole]) });
    service().hint({ type: "transactions" });
    expect(await list.findByText(/cut to 4 decimals/)).toBeVisible();
  });

  test("can be filtered by type, and reload when the balance changes", async () => {
    let entries = [aTransaction({ kind: "test_credit", balance_after: "24.00" })];
    service().on("GET /api/billing/transactions", ({ query }) => ({
      transactions: listOf(query["group"] === "refunds" ? [] : entries),
    }));
    const person = await openApp("/billing");
    const list = await region("Transaction history");
    expect(await list.findByText("Balance $24.00")).toBeVisible();
    await person.click(list.getByRole("button", { name: "Refunds" }));
    expect(list.getByRole("button", { name: "Refunds" })).toHaveAttribute("aria-pressed", "true");
    expect(await list.findByText("Nothing to show here yet")).toBeVisible();
    await person.click(list.getByRole("button", { name: "All" }));
    entries = [aTransaction({ kind: "refund", type: "debit", amount: "4.00", balance_after: "20.00" }), ...entries];
    service().hint({ type: "transactions" });
    expect(await list.findByText("Refund")).toBeVisible();
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/billing/transactions", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/billing");
    const list = await region("Transaction history");
    expect(await list.findByText("Failed to fetch transactions")).toBeVisible();
    service().on("GET /api/billing/transactions", { transactions: listOf([aTransaction()]) });
    await person.click(list.getByRole("button", { name: "Try again" }));
    expect(await list.findByText("Top-up")).toBeVisible();
  });
});

describe("the balance", () => {
  test.each([
    ["2.001000", "0.995000", ["$1.00", "$1.00"]],
    ["24.600000", "0.250000", ["$24.35", "$0.25"]],
    ["5.009900", "5.009900", ["$0.00", "$5.00"]],
  ])("of %s is the sum of its parts to the cent, with %s of it free", async (balance, bonus, parts) => {
    service().on("GET /api/billing/balance", aBalance({ balance, bonus }));
    await openApp("/billing");
    const card = await region("Current balance");
    await card.findByText("Bought");
    expect(["Bought", "Free credit"].map((name) => card.getByText(name).nextSibling?.textContent)).toEqual(parts);
  });

  test("shows no free credit below a cent", async () => {
    service().on("GET /api/billing/balance", aBalance({ balance: "5.001300", bonus: "0.001300" }));
    await openApp("/billing");
    const card = await region("Current balance");
    await card.findByText("$5.00");
    expect(card.queryByText("Bought")).toBeNull();
  });

  test("leads to the automatic top-up, the family and asking, each with what it does now", async () => {
    await openApp("/billing");
    const places = within(await screen.findByRole("navigation", { name: "More about your credit" }));
    expect(await places.findByRole("link", { name: "Automatic top-up Off" })).toHaveAttribute("href", "/billing#auto-top-up");
    expect(places.getByRole("link", { name: "Family Share your credit for calls" })).toHaveAttribute("href", "/family");
    expect(places.getByRole("link", { name: "Ask for credit Send a link, they pay by card" })).toBeVisible();
    await waitFor(() => expect(places.queryByRole("link", { name: /^Withdraw/ })).toBeNull());
  });
});

describe("an amount to top up", () => {
  const amount = () => screen.findByLabelText("Custom amount");

  test.each(["12.50", "12,50", "١٢٫٥٠", "१२.५"])("typed as %s is $12.50 in the form that pays", async (typed) => {
    service().on("POST /api/billing/top-up", { payment_id: anId(), session_id: "s", checkout_url: "https://pay.example/now" });
    const person = await openApp("/billing");
    await person.clear(await amount());
    await person.type(await amount(), typed);
    await person.click(await screen.findByRole("button", { name: "Top up $12.50" }));
    expect(await screen.findByText("$12.50 → $12.50 credit")).toBeVisible();
    await person.click(await screen.findByRole("button", { name: "Secure Checkout" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://pay.example/now"));
    expect(service().asked("POST /api/billing/top-up")[0]?.body).toEqual({ amount: "12.50" });
  });

  test("of a package's price chooses the package, with its bonus", async () => {
    const person = await openApp("/billing");
    expect(await screen.findByRole("button", { name: "$10" })).toHaveAttribute("aria-pressed", "true");
    await person.click(screen.getByRole("button", { name: "$20" }));
    await person.click(screen.getByRole("button", { name: "Top up $20.00" }));
    expect(await screen.findByText("$20.00 → $21.00 credit")).toBeVisible();
  });

  test.each([
    ["1,250", "Enter an amount in dollars, for example 10 or 12.50"],
    ["4,99", "Minimum top-up amount is $5"],
    ["500.01", "Maximum top-up amount is $500"],
  ])("of %s is refused at the field, and leads nowhere", async (typed, why) => {
    const person = await openApp("/billing");
    await person.clear(await amount());
    await person.type(await amount(), `${typed}{Enter}`);
    expect(await amount()).toHaveValue(typed);
    expect(await amount()).toHaveAccessibleDescription(why);
    expect(screen.queryByRole("heading", { name: "Top Up" })).toBeNull();
  });
});

describe("the automatic top-up", () => {
  const card = aCard();
  const on = { on: true, card_id: card.id, threshold: "5.00", amount: "20.00" };
  const section = () => region("Automatic top-up");

  test("starts by saving a card at the provider", async () => {
    service().on("POST /api/billing/cards", { checkout_url: "https://pay.example/setup" });
    const person = await openApp("/billing");
    const auto = await section();
    await person.click(await auto.findByRole("button", { name: "Save a card" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://pay.example/setup"));
    expect(auto.queryByRole("button", { name: "Turn on" })).toBeNull();
  });

  test("confirms the saved card when the browser returns from the provider", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card] }));
    await openApp("/billing?card=saved");
    expect(await screen.findByText("Your card is saved")).toBeVisible();
    await waitFor(() => expect(window.location.search).toBe(""));
  });

  test("charges only after consent, and then shows its state", async () => {
    service().on(
      "GET /api/billing/auto-top-up",
      autoTopUp({ cards: [card], settings: { ...on, on: false }, starts_at: "2026-12-04T09:00:00.000Z" }),
    );
    service().on("PUT /api/billing/auto-top-up", autoTopUp({ cards: [card], settings: on, state: { kind: "ready" } }));
    const person = await openApp("/billing");
    const auto = await section();
    await person.click(await auto.findByRole("button", { name: "Turn on" }));
    const consent = auto.getByLabelText(/^I agree/);
    await waitFor(() => expect(consent).toHaveAccessibleDescription("Please agree that your card may be charged."));
    expect(consent).toBeInvalid();
    expect(service().asked("PUT /api/billing/auto-top-up")).toEqual([]);
    expect(auto.getByText("You pay Example Calls Ltd.")).toBeVisible();
    expect(auto.getByText(/^It starts when your account is 7 days old\. Nothing is charged before .*Dec/)).toBeVisible();
    await person.click(consent);
    const threshold = auto.getByLabelText("When my credit falls below");
    await person.clear(threshold);
    await person.type(threshold, "1,250");
    await person.click(auto.getByRole("button", { name: "Turn on" }));
    await waitFor(() =>
      expect(threshold).toHaveAccessibleDescription(
        expect.stringContaining("Enter an amount in dollars, for example 10 or 12.50"),
      ),
    );
    expect(service().asked("PUT /api/billing/auto-top-up")).toEqual([]);
    await person.clear(threshold);
    await person.type(threshold, "5,00");
    await person.click(auto.getByRole("button", { name: "Turn on" }));
    expect(await screen.findByText("Automatic top-up is on")).toBeVisible();
    expect(
      await auto.findByText(/^We add \$20\.00 with .?Visa •••• 4242.? when your credit falls below \$5\.00\.$/),
    ).toBeVisible();
    expect(service().asked("PUT /api/billing/auto-top-up")[0]?.body).toEqual({ ...on, agreed: true });
  });

  test("asks for the password when the last sign-in is too old", async () => {
    let proved = false;
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card], settings: { ...on, on: false } }));
    service().on("PUT /api/billing/auto-top-up", () =>
      proved ? autoTopUp({ cards: [card], settings: on, state: { kind: "ready" } }) : refused("reauth_required", "Who are you?"),
    );
    service().on("POST /api/reauthenticate", () => {
      proved = true;
      return undefined;
    });
    const person = await openApp("/billing");
    const auto = await section();
    await person.click(await auto.findByLabelText(/^I agree/));
    await person.click(auto.getByRole("button", { name: "Turn on" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Confirm it’s you" }));
    await person.type(dialog.getByLabelText("Current password"), "right{Enter}");
    expect(await screen.findByText("Automatic top-up is on")).toBeVisible();
  });

  test("does not offer a card that has expired", async () => {
    const old = { ...card, id: anId(), last4: "1881", exp_month: 1, exp_year: 2026, expired: true };
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card, old] }));
    await openApp("/billing");
    const auto = await section();
    expect(await auto.findByRole("option", { name: /1881 · Expired .?01\/2026/ })).toBeDisabled();
    expect(auto.getByRole("option", { name: /4242/ })).toBeEnabled();
  });

  test("says why it stopped, and lets the customer pay manually", async () => {
    service().on(
      "GET /api/billing/auto-top-up",
      autoTopUp({
        cards: [card],
        settings: on,
        state: { kind: "stopped", reason: "authentication_required" },
        last: { amount: "20.00", at: DAY, status: "failed", reason: "authentication_required" },
      }),
    );
    service().on("POST /api/billing/top-up", { payment_id: anId(), session_id: "s", checkout_url: "https://pay.example/now" });
    const person = await openApp("/billing");
    const auto = await section();
    expect(await auto.findByText("Automatic top-up has stopped")).toBeVisible();
    expect(auto.getByText(/^Your bank wants you to confirm the payment yourself\./)).toBeVisible();
    expect(auto.getByText("Paused")).toBeVisible();
    expect(auto.getByText(/^Last attempt: \$20\.00 on .*, not paid$/)).toBeVisible();
    await person.click(auto.getByRole("button", { name: "Pay $20.00 now" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://pay.example/now"));
    expect(service().asked("POST /api/billing/top-up")[0]?.body).toEqual({ amount: "20.00" });
  });

  test.each([
    ["debt", null, /^It waits because you owe credit\./],
    ["withdrawn", null, /^You withdrew credit\./],
    ["cool_down", DAY, /^It has just topped up .* It continues after /],
  ] as const)("that waits (%s) says for what", async (reason, until, words) => {
    service().on(
      "GET /api/billing/auto-top-up",
      autoTopUp({ cards: [card], settings: on, state: { kind: "waiting", reason, until } }),
    );
    await openApp("/billing");
    expect(await (await section()).findByText(words)).toBeVisible();
  });

  test("removes a card after confirmation", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card] }));
    service().on("DELETE /api/billing/cards/:id", () => {
      service().on("GET /api/billing/auto-top-up", autoTopUp());
      return autoTopUp();
    });
    const person = await openApp("/billing");
    const auto = await section();
    await person.click(await auto.findByRole("button", { name: /^Remove .?Visa •••• 4242/ }));
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("The card is removed")).toBeVisible();
    expect(await auto.findByRole("button", { name: "Save a card" })).toBeVisible();
    expect(service().ids("DELETE /api/billing/cards/:id")).toEqual([card.id]);
  });
});

describe("test credit", () => {
  test("is offered only in sandbox mode, and refuses an invalid amount", async () => {
    await openApp("/billing");
    await screen.findByText("No transactions yet");
    expect(screen.queryByRole("region", { name: "Test Credit" })).toBeNull();
  });

  test("is credited", async () => {
    service().on("GET /api/config", aConfig({ mode: "sandbox", sandbox_url: "http://localhost:3001" }));
    service().on("POST /api/billing/test-credit", { new_balance: "15.00" });
    const person = await openApp("/billing");
    const card = await region("Test Credit");
    const amount = card.getByLabelText("Test amount");
    await person.clear(amount);
    await person.click(card.getByRole("button", { name: "Add Test Credit" }));
    expect(await screen.findByText("Please enter a valid amount")).toBeVisible();
    await person.type(amount, "10{Enter}");
    expect(await screen.findByText("Successfully added $10.00 to your balance!")).toBeVisible();
    expect(service().bodies("POST /api/billing/test-credit")).toEqual([{ amount: "10.00" }]);
  });
});
