import { cleanup, screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aBalance, aCard, aConfig, anId, aUser, autoTopUp } from "../../../../test/answers.ts";
import { refused, UNREACHABLE } from "../../../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../../../test/open-app.tsx";

const service = withFakeService();

const CHECKOUT = "https://pay.example/session-1";
const checkout = () => ({ payment_id: anId(), session_id: "session-1", checkout_url: CHECKOUT });
const pay = () => screen.findByRole("button", { name: "Secure Checkout" });

describe("the top-up page", () => {
  test("preselects the popular package, adds its bonus, and opens the card page", async () => {
    service().on("POST /api/billing/purchase-package", checkout());
    const person = await openApp("/topup");
    expect(await screen.findByRole("radio", { name: /\$21\.00/ })).toBeChecked();
    expect(screen.getByText("You pay today").closest("dt, th")?.nextSibling).toHaveTextContent("$20.00");
    expect(screen.getByText("Credit you get").closest("dt, th")?.nextSibling).toHaveTextContent("$21.00");
    expect(screen.getByText("Includes bonus credit").closest("dt, th")?.nextSibling).toHaveTextContent("$1.00");
    expect(screen.getByText("Up to 1,050 minutes of international calling time")).toBeVisible();
    await person.click(await pay());
    await waitFor(() => expect(left).toHaveBeenCalledWith(CHECKOUT));
    expect(service().asked("POST /api/billing/purchase-package")[0]?.body).toEqual({ package_id: "p20" });
  });

  test.each<[string, string | null, [string, number, string][], RegExp]>([
    [
      "the most called country, though another cost more",
      "GB",
      [
        ["US", 1, "9.00"],
        ["GH", 2, "1.00"],
      ],
      /About 110 min to Ghana/,
    ],
    ["the country last dialled, before the first call", "GB", [], /About 2,100 min to the United Kingdom/],
    ["the browser's own country, before anything was dialled", null, [], /About 1,000 min to the United States/],
  ])("says each package in minutes to %s", async (_what, dialled, called, words) => {
    const { id } = aUser();
    if (dialled !== null) localStorage.setItem(`own:${id}:country`, dialled);
    const countries = called.map(([code, calls, spend]) => ({ country_code: code, country_name: "", calls, seconds: 60, spend }));
    service().on("GET /api/calls/summary", { time_zone: "UTC", total_calls: 3, months: [], countries });
    const person = await openApp("/topup");
    expect(await screen.findByRole("radio", { name: words })).toBeChecked();
    expect(screen.getAllByText(/^About [\d,]+ min to /)).toHaveLength(3);
    await person.selectOptions(screen.getByLabelText("Another country"), "Ghana");
    expect(screen.getByRole("radio", { name: /About 110 min to Ghana/ })).toBeChecked();
  });

  test("names the seller beside the button that pays, and unfolds all about them", async () => {
    const person = await openApp("/topup");
    const line = await screen.findByText("You pay Example Calls Ltd.");
    expect(line).toBeVisible();
    expect(screen.getByText("help@farline.example")).not.toBeVisible();
    await person.click(line);
    for (const text of ["Registered: Companies House 01234567.", "help@farline.example", "Mastercard"])
      expect(screen.getByText(text)).toBeVisible();
    expect(screen.getByText("Credit is sold by Example Calls Ltd, 1 Main Road, 12345 Example.")).toBeVisible();
    expect(screen.getByText(/You can take back unused credit for 180 days\. Credit does not expire\./)).toBeVisible();
    expect(screen.getByText(/Mon – Fri .*United Kingdom Time/)).toBeVisible();
    expect(screen.getByRole("link", { name: "Refund rules" })).toHaveAttribute("href", "/terms#refunds");
  });

  test("marks a sample seller", async () => {
    const { seller } = aConfig();
    service().on("GET /api/config", aConfig({ seller: { ...seller, sample: true } }));
    await openApp("/topup");
    expect(await screen.findByText("You pay Example Calls Ltd, a sample: no real money.")).toBeVisible();
  });

  test("says beside the key what it buys, and follows each choice", async () => {
    const person = await openApp("/topup");
    const bar = (await screen.findByText("$20.00 → $21.00 credit")).closest("[aria-live=polite]");
    await waitFor(() => expect(bar).toHaveTextContent(/About [\d,]+ min to the United States/));
    await person.click(screen.getByRole("radio", { name: /\$5\b/ }));
    expect(bar).toHaveTextContent("$5.00 → $5.00 credit");
    await person.selectOptions(screen.getByLabelText("Another country"), "Ghana");
    expect(bar).toHaveTextContent(/to Ghana/);
  });

  test("accepts a whole-dollar amount of at least five instead, and pays exactly that", async () => {
    service().on("POST /api/billing/top-up", checkout());
    const person = await openApp("/topup");
    const amount = await screen.findByLabelText("Or another amount");
    await person.clear(amount);
    expect(await pay()).toBeDisabled();
    await person.type(amount, "4");
    expect(screen.getByText("Please select a package or enter at least $5")).toBeVisible();
    await person.clear(amount);
    await person.type(amount, "7");
    expect(screen.getByText("You pay today").closest("dt, th")?.nextSibling).toHaveTextContent("$7.00");
    expect(screen.queryByText("Includes bonus credit")).toBeNull();
    await person.click(await pay());
    await waitFor(() => expect(left).toHaveBeenCalledWith(CHECKOUT));
    expect(service().asked("POST /api/billing/top-up")[0]?.body).toEqual({ amount: "7.00" });
    expect(service().asked("POST /api/billing/top-up")[0]?.headers.get("Idempotency-Key")).toBeNull();
  });

  test("selects the package of the typed amount, and offers a package that gives more for less", async () => {
    service().on("GET /api/billing/packages", {
      packages: [{ id: "p50", amount: 50, total_credits: 55, is_popular: true, bonus_percentage: 10 }],
    });
    const person = await openApp("/topup");
    const amount = await screen.findByLabelText("Or another amount");
    await person.clear(amount);
    await person.type(amount, "50");
    expect(screen.getByRole("radio")).toBeChecked();
    await person.clear(amount);
    await person.type(amount, "54");
    expect(screen.getByRole("radio")).not.toBeChecked();
    expect(screen.getByText("You get more for less: the $50 package gives you $55.00.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Choose $50" }));
    expect(screen.getByRole("radio")).toBeChecked();
    expect(screen.queryByText(/^You get more for less/)).toBeNull();
    await person.clear(amount);
    await person.type(amount, "55");
    expect(screen.queryByText(/^You get more for less/)).toBeNull();
  });

  test("stops at the separator of a typed or pasted amount, and says so", async () => {
    const person = await openApp("/topup");
    const amount = await screen.findByLabelText("Or another amount");
    for (const typed of ["12.50", "12,50", "١٢٫٥٠"]) {
      await person.clear(amount);
      await person.type(amount, typed);
      expect(amount).toHaveValue("12");
      expect(amount).toHaveAccessibleDescription(expect.stringContaining("Whole dollars only"));
      expect(screen.getByText("You pay today").closest("dt, th")?.nextSibling).toHaveTextContent("$12.00");
    }
    await person.clear(amount);
    await person.paste("1,250.00");
    expect(amount).toHaveValue("1");
    await person.clear(amount);
    await person.type(amount, "12.");
    await person.type(amount, "{Backspace}");
    expect(amount).not.toHaveAccessibleDescription(expect.stringContaining("Whole dollars only"));
    await person.type(amount, "5");
    expect(amount).toHaveValue("15");
  });

  test("refuses more than the maximum at the field", async () => {
    const person = await openApp("/topup");
    const amount = await screen.findByLabelText("Or another amount");
    await person.clear(amount);
    await person.type(amount, "501");
    expect(amount).toHaveAccessibleDescription(expect.stringContaining("Maximum top-up amount is $500"));
    expect(await pay()).toBeDisabled();
  });

  test.each(["", "4"])("says once what is missing for the amount %j", async (typed) => {
    const person = await openApp("/topup");
    const amount = await screen.findByLabelText("Or another amount");
    await person.clear(amount);
    if (typed !== "") await person.type(amount, typed);
    expect(screen.getAllByText(/Please select a package or enter at least \$5/)).toHaveLength(1);
  });

  test("takes no payment before the seller is known, and can ask again for the seller", async () => {
    service().on("GET /api/config", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/topup");
    expect(await screen.findByText("We could not load who you pay")).toBeVisible();
    expect(await pay()).toBeDisabled();
    service().on("GET /api/config", aConfig());
    await person.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(async () => expect(await pay()).toBeEnabled());
  });

  test("says why a payment could not be opened, and can be retried", async () => {
    service().on("POST /api/billing/purchase-package", refused("account_frozen", "Your account is locked. Contact us."));
    const person = await openApp("/topup");
    await person.click(await pay());
    await waitFor(() => expect(screen.getAllByRole("alert")[0]).toHaveTextContent("Your account is locked. Contact us."));
    expect(screen.queryByText("Failed to initiate checkout. Please try again.")).toBeNull();
    expect(await pay()).not.toHaveAttribute("aria-busy");
    expect(left).not.toHaveBeenCalled();
  });

  test.each([
    ["conflict", "Another payment of yours is still open."],
    ["payments_declined", "Too many payments were declined. Try again tomorrow."],
    ["top_up_limit_reached", "You can top up at most $100.00 in 24 hours."],
    ["account_closing", "Your account is closing."],
  ] as const)("refused as %s says so and opens no payment", async (code, words) => {
    service().on("POST /api/billing/purchase-package", refused(code, words));
    const person = await openApp("/topup");
    await person.click(await pay());
    await waitFor(() => expect(screen.getAllByRole("alert")[0]).toHaveTextContent(words));
    expect(left).not.toHaveBeenCalled();
  });

  test("shows what prevents a top-up: debt, or a locked account and why", async () => {
    service().on("GET /api/user", { user: aUser({ status: "frozen", frozen_because: "payment" }) });
    service().on("GET /api/billing/balance", aBalance({ debt: "3.196001", bonus: "1.00" }));
    await openApp("/topup");
    expect(await screen.findByText("Your account is locked")).toBeVisible();
    expect(screen.getByText("We are checking a payment.")).toBeVisible();
    expect(screen.getByText(/^You owe \$3\.20, because credit/)).toBeVisible();
    expect(screen.getByText("Includes $1.00 of bonus credit")).toBeVisible();
  });

  test("can reload the packages after an error", async () => {
    service().on("GET /api/billing/packages", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/topup");
    expect(await screen.findByText("Failed to load payment packages")).toBeVisible();
    expect(screen.getByText("Too many attempts.")).toBeVisible();
    service().on("GET /api/billing/packages", {
      packages: [{ id: "p5", amount: 5, total_credits: 5, is_popular: false, bonus_percentage: 0 }],
    });
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("radio", { name: /\$5/ })).toBeChecked();
  });

  test("refuses payments while offline and says why", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await openApp("/topup");
    expect(await pay()).toBeDisabled();
    expect(screen.getByText(/You are offline\. You can pay when you’re back online\./)).toBeVisible();
  });
});

describe("a promo code", () => {
  const field = () => screen.findByLabelText("Promo code (optional)");
  const check = (more: object) => ({
    code: "SPRING10",
    bonus: "0.00",
    refusal: null,
    min_amount: null,
    package_amount: null,
    ends_at: null,
    ...more,
  });

  test("is folded away until it is asked for", async () => {
    const person = await openApp("/topup");
    expect(await field()).not.toBeVisible();
    await person.click(screen.getByText("I have a promo code"));
    expect(await field()).toBeVisible();
  });

  test("is shown in capitals, counts as bonus, and is sent with the payment", async () => {
    service().on("POST /api/billing/promo/check", check({ bonus: "2.00" }));
    service().on("POST /api/billing/purchase-package", checkout());
    const person = await openApp("/topup");
    await person.click(await screen.findByText("I have a promo code"));
    await person.type(await field(), "spring10");
    expect(await field()).toHaveValue("SPRING10");
    expect(await screen.findByText("You get $2.00 extra as bonus credit.")).toBeVisible();
    expect(screen.getByText("Credit you get").closest("dt, th")?.nextSibling).toHaveTextContent("$23.00");
    expect(screen.getByText("Includes bonus credit, with your code").closest("dt, th")?.nextSibling).toHaveTextContent("$3.00");
    expect(screen.getByText("Up to 1,150 minutes of international calling time")).toBeVisible();
    await person.click(await pay());
    await waitFor(() => expect(left).toHaveBeenCalledWith(CHECKOUT));
    expect(service().asked("POST /api/billing/purchase-package")[0]?.body).toEqual({ package_id: "p20", promo_code: "SPRING10" });
  });

  test.each([
    [{ refusal: "too_little", min_amount: "20.00" }, "This promo code needs a top-up of at least $20.00."],
    [{ refusal: "used_before" }, "You have already used this promo code."],
    [{ refusal: "used_up" }, "This promo code has been used up."],
    [{ refusal: "not_started" }, "This promo code is not valid yet."],
    [{ refusal: "expired" }, "This promo code has expired."],
    [{ refusal: "other_package", package_amount: "50.00" }, "This promo code is for the $50.00 package."],
    [{ refusal: "other_package" }, "This promo code is for another package."],
    [{ refusal: "unknown" }, "This promo code doesn’t exist."],
  ] as const)("that gives nothing (%o) says why, and is not paid with", async (answer, words) => {
    service().on("POST /api/billing/promo/check", check(answer));
    const person = await openApp("/topup");
    await person.type(await field(), "SPRING10");
    await waitFor(async () => expect(await field()).toHaveAccessibleDescription(words));
    expect(await field()).toBeInvalid();
    await person.click(await pay());
    expect(await field()).toHaveFocus();
    expect(service().asked("POST /api/billing/purchase-package")).toEqual([]);
  });

  test("that is refused at the checkout is checked again", async () => {
    service().on("POST /api/billing/promo/check", check({ bonus: "2.00" }));
    service().on("POST /api/billing/purchase-package", refused("promo_refused", "This promo code has been used up."));
    const person = await openApp("/topup");
    await person.type(await field(), "SPRING10");
    await screen.findByText("You get $2.00 extra as bonus credit.");
    service().on("POST /api/billing/promo/check", check({ refusal: "used_up" }));
    await person.click(await pay());
    await waitFor(async () => expect(await field()).toHaveAccessibleDescription("This promo code has been used up."));
  });
});

describe("a saved card", () => {
  const card = aCard();

  test("pays in one step: a retry after a lost answer reuses the key, another payment gets a new one", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card, aCard({ last4: "0001", expired: true })] }));
    service().on("POST /api/billing/purchase-package", UNREACHABLE);
    const person = await openApp("/topup");
    expect(await screen.findByRole("radio", { name: "Visa •••• 4242" })).toBeChecked();
    expect(screen.queryByRole("radio", { name: /0001/ })).toBeNull();
    const button = () => screen.findByRole("button", { name: /^Pay \$20\.00 with Visa/ });
    await person.click(await button());
    await screen.findByText("Failed to create checkout session. Check your connection.");
    expect(await screen.findByText("Failed to initiate checkout. Please try again.")).toBeVisible();
    service().on("POST /api/billing/purchase-package", {
      ...checkout(),
      session_id: null,
      checkout_url: "/billing/success?payment_id=1",
    });
    // A reload, or another tab: it is still the same payment.
    cleanup();
    const reloaded = await openApp("/topup");
    await reloaded.click(await button());
    await waitFor(() => expect(left).toHaveBeenCalledWith("/billing/success?payment_id=1"));
    const asked = service().asked("POST /api/billing/purchase-package");
    const keys = asked.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(asked[1]?.body).toEqual({ package_id: "p20", card_id: card.id });
  });

  test("is sent once, however often the button is pressed", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card] }));
    const release = service().hold("POST /api/billing/purchase-package", checkout());
    const person = await openApp("/topup");
    await person.dblClick(await screen.findByRole("button", { name: /^Pay \$20\.00 with Visa/ }));
    release();
    await waitFor(() => expect(left).toHaveBeenCalled());
    expect(service().asked("POST /api/billing/purchase-package")).toHaveLength(1);
  });

  test("can be replaced by a new card, which is saved only on request", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [card] }));
    service().on("POST /api/billing/purchase-package", checkout());
    const person = await openApp("/topup");
    await person.click(await screen.findByRole("radio", { name: /^Another way to pay/ }));
    const keep = screen.getByLabelText("Save my card for next time");
    expect(keep).not.toBeChecked();
    await person.click(await pay());
    await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
    expect(service().asked("POST /api/billing/purchase-package")[0]?.body).toEqual({ package_id: "p20" });
  });

  test("is saved with the first payment on request", async () => {
    service().on("POST /api/billing/purchase-package", checkout());
    const person = await openApp("/topup");
    await person.click(await screen.findByLabelText("Save my card for next time"));
    await person.click(await pay());
    await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
    expect(service().asked("POST /api/billing/purchase-package")[0]?.body).toEqual({ package_id: "p20", keep_card: true });
  });

  test("cannot be saved when the limit is reached", async () => {
    const cards = ["1111", "2222", "3333"].map((last4) => aCard({ last4 }));
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards }));
    const person = await openApp("/topup");
    await person.click(await screen.findByRole("radio", { name: /^Another way to pay/ }));
    expect(screen.queryByLabelText("Save my card for next time")).toBeNull();
  });
});
