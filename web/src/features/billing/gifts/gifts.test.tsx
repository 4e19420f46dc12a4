import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aUser } from "../../../../test/answers.ts";
import { UNREACHABLE, refused } from "../../../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../../../test/open-app.tsx";

const service = withFakeService();

afterEach(() => void vi.useRealTimers());

const DAY = "2026-11-20T10:00:00.000Z";
const ID = "0192f3a0-0000-7000-8000-000000000001";
const URL = "https://farline.example/credit#t=secret";
const SAID = { amount: null, note: "", country: null };
const LINK = { id: ID, url: URL, created_at: DAY, expires_at: "2026-12-20T10:00:00.000Z", ...SAID };
const ASKER = { name: "Ama", amount: null, note: "", calls: null, guest_most: "50.00" };

describe("asking for credit", () => {
  test("a link is made, shown and removed", async () => {
    service().on("POST /api/credit-requests", () => {
      service().on("GET /api/credit-requests", { requests: [LINK] });
      return LINK;
    });
    service().on("DELETE /api/credit-requests/:id", () => {
      service().on("GET /api/credit-requests", { requests: [] });
      return undefined;
    });
    const person = await openApp("/billing");
    await person.click(await screen.findByRole("button", { name: "Make a link" }));
    expect(await screen.findByRole("textbox", { name: "Your link" })).toHaveValue(LINK.url);
    await person.click(screen.getByRole("button", { name: "Remove link" }));
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Your link" })).not.toBeInTheDocument());
    expect(service().asked("DELETE /api/credit-requests/:id")[0]?.id).toBe(ID);
  });

  test("only the link that is being removed is busy, and a link that cannot be copied says so", async () => {
    const other = { ...LINK, id: ID.replace(/1$/, "3"), url: `${LINK.url}-2` };
    service().on("GET /api/credit-requests", { requests: [LINK, other] });
    const release = service().hold("DELETE /api/credit-requests/:id", undefined);
    const person = await openApp("/billing");
    const [first, second] = await screen.findAllByRole("button", { name: "Remove link" });
    await person.click(first as HTMLElement);
    expect(first).toHaveAttribute("aria-busy", "true");
    expect(second).not.toHaveAttribute("aria-busy");
    release();
    expect(await screen.findByText("The link no longer works.")).toBeVisible();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("Denied", "NotAllowedError"));
    await person.click(screen.getAllByRole("button", { name: "Copy" })[0] as HTMLElement);
    expect(await screen.findByText("Your browser does not allow this. Copy it by hand.")).toBeVisible();
  });

  test("a link is replaced by one that says the same, in one request", async () => {
    const link = { ...LINK, amount: "20.00", note: "For Grandma", country: "GH" };
    service().on("GET /api/credit-requests", { requests: [link] });
    service().on("POST /api/credit-requests", link);
    const person = await openApp("/billing");
    await person.click(await screen.findByRole("button", { name: "Replace link" }));
    expect(await screen.findByText("The old link no longer works. Send the new one.")).toBeVisible();
    expect(service().asked("DELETE /api/credit-requests/:id")).toHaveLength(0);
    expect(service().bodies("POST /api/credit-requests")).toEqual([
      { amount: "20.00", note: "For Grandma", country: "GH", replaces: ID },
    ]);
  });

  test("what was given and received is listed, with the greeting as plain text", async () => {
    const gift = {
      id: ID,
      name: "Ama",
      amount: "20.00",
      created_at: DAY,
      due_at: null,
      returned: "0.00",
      goes_back: false,
    } as const;
    service().on("GET /api/billing/gifts", {
      gifts: [
        { ...gift, direction: "received", greeting: "<b>Call me</b>", state: "given" },
        { ...gift, id: ID.replace(/1$/, "2"), direction: "sent", greeting: "", state: "kept" },
        { ...gift, id: ID.replace(/1$/, "3"), direction: "received", greeting: "", state: "held", due_at: DAY },
        { ...gift, id: ID.replace(/1$/, "4"), direction: "received", greeting: "", state: "kept", goes_back: true },
        { ...gift, id: ID.replace(/1$/, "6"), direction: "received", greeting: "", state: "kept" },
        { ...gift, id: ID.replace(/1$/, "5"), direction: "received", greeting: "", state: "given", returned: "12.50" },
      ],
    });
    await openApp("/billing");
    expect(await screen.findByText(/We check the payment first. Arrives on/)).toBeVisible();
    expect(screen.getByText(/Could not be given. Goes back to Ama’s card/)).toBeVisible();
    expect(screen.getByText(/Could not be given$/)).toBeVisible();
    expect(screen.getByText(/\$12.50 went back to the payer/)).toBeVisible();
    expect(await screen.findByText("<b>Call me</b>")).toBeVisible();
    expect(screen.getAllByText("From Ama")).toHaveLength(5);
    expect(screen.getByText(/Stayed with you/)).toBeVisible();
  });

  test("a failure is said, with another try", async () => {
    service().on("GET /api/billing/gifts", UNREACHABLE);
    await openApp("/billing");
    expect(await screen.findByText("We could not load this. Try again.")).toBeVisible();
  });
});

describe("buying credit for somebody", () => {
  test("the amount and the greeting are sent, and the browser goes to pay", async () => {
    service().on("POST /api/credit-requests/open", ASKER);
    service().on("POST /api/billing/gifts", refused("payment_provider_down", "Paying is not possible right now."));
    const person = await openApp("/credit#t=secret");
    expect(await screen.findByRole("heading", { name: "Ama asks you for credit" })).toBeVisible();
    const amount = screen.getByRole("textbox", { name: "Amount" });
    await person.clear(amount);
    await person.type(amount, "4");
    expect(screen.getByRole("button", { name: "Pay for Ama" })).toBeDisabled();
    await person.type(amount, "001");
    expect(screen.getByRole("button", { name: "Pay for Ama" })).toBeDisabled();
    await person.clear(amount);
    await person.type(amount, "٤٠٫٥");
    await person.type(screen.getByRole("textbox", { name: "A greeting (optional)" }), "Happy birthday");
    await person.click(screen.getByRole("button", { name: "Pay for Ama" }));
    await waitFor(() =>
      expect(service().asked("POST /api/billing/gifts")[0]?.body).toMatchObject({
        token: "secret",
        amount: "40.50",
        greeting: "Happy birthday",
      }),
    );
    expect(await screen.findByRole("alert")).toBeVisible();
  });

  test("who has not confirmed the email address learns it before paying", async () => {
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    service().on("POST /api/credit-requests/open", ASKER);
    await openApp("/credit#t=secret");
    expect(await screen.findByText("Confirm your email address first. Then you can buy credit for others.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Pay for Ama" })).toBeDisabled();
  });

  test("a link that no longer works says so", async () => {
    service().on("POST /api/credit-requests/open", refused("link_expired", "This link no longer works. Ask for a new one."));
    await openApp("/credit#t=old");
    expect(await screen.findByText("This link no longer works. Ask for a new one.")).toBeVisible();
  });
});

describe("a guest who opens a link", () => {
  const asker = { ...ASKER, amount: "10.00", note: "For calls to Grandma" };
  const calls = { country: "GB", country_name: "United Kingdom", rate: "0.0200" };

  test("sees who asks, what for and what it buys, and pays without an account", async () => {
    service().on("POST /api/credit-requests/open", { ...asker, calls });
    service().on("POST /api/credit-requests/pay", refused("payment_provider_down", "Paying is not possible right now."));
    const person = await openApp("/credit#t=secret", { signedIn: false });
    expect(await screen.findByRole("heading", { name: "Ama asks you for credit" })).toBeVisible();
    expect(screen.getByText("For calls to Grandma")).toBeVisible();
    expect(window.location.hash).toBe("");
    expect(await screen.findByText("About 500 min to the United Kingdom")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "$20" }));
    expect(screen.getByText("About 1,000 min to the United Kingdom")).toBeVisible();
    await person.type(screen.getByLabelText("Your email, for the receipt"), "kofi@example.com");
    await person.type(screen.getByLabelText("Your name, so Ama knows"), "Kofi");
    await person.click(screen.getByRole("button", { name: "Pay $20.00 by card" }));
    expect(await screen.findByText("Paying is not possible right now.")).toBeVisible();
    const order = { token: "secret", amount: "20.00", email: "kofi@example.com", name: "Kofi", greeting: "", language: "en" };
    expect(service().asked("POST /api/credit-requests/pay")[0]?.body).toMatchObject(order);
    service().on("POST /api/credit-requests/pay", { checkout_url: "https://pay.example/session-1" });
    await person.click(screen.getByRole("button", { name: "Pay $20.00 by card" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://pay.example/session-1"));
    // The browser has not left yet, and the press is repeated.
    await person.click(screen.getByRole("button", { name: "Processing..." }));
    expect(service().asked("POST /api/credit-requests/pay")).toHaveLength(2);
  });

  test("learns before paying that a large amount needs an account", async () => {
    service().on("POST /api/credit-requests/open", ASKER);
    const person = await openApp("/credit#t=secret", { signedIn: false });
    const amount = await screen.findByRole("textbox", { name: "Amount" });
    await person.clear(amount);
    expect(screen.getByRole("button", { name: "Pay for Ama" })).toBeDisabled();
    await person.type(amount, "60");
    expect(screen.getByText("More than $50.00 needs an account.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Pay $60.00 by card" })).toBeDisabled();
    expect(screen.getByRole("link", { name: "Sign in or sign up" })).toHaveAttribute("href", "/login");
  });

  test.each([
    ["given", null, null, "Ama now has $20.00 more credit for calls. Your receipt comes by email."],
    ["held", DAY, null, /^We check the payment first\. Ama gets the credit on .*2026/],
    ["kept", null, "20.00", /^Ama cannot get the credit right now\. The money goes back to your card\./],
    ["kept", null, "14.00", /\$14\.00 goes back to your card\. The rest pays what you owe for an earlier payment\./],
    ["kept", null, "0.00", /right now\. The money pays what you owe for an earlier payment\./],
  ] as const)("reads after paying that the credit was %s", async (credit, due_at, goes_back, text) => {
    service().on("POST /api/credit-requests/outcome", {
      ...{ status: "paid", name: "Ama", amount: "20.00" },
      ...{ credit, due_at, goes_back },
    });
    await openApp("/credit/thanks?session_id=cs_1", { signedIn: false });
    expect(await screen.findByText(text)).toBeVisible();
  });

  test.each([
    ["cannot be reached", UNREACHABLE],
    ["is asked too often from the same network", refused("rate_limited")],
  ] as const)("who has paid waits while the service %s, and is not told that the payment is unknown", async (_, answer) => {
    service().on("POST /api/credit-requests/outcome", answer);
    await openApp("/credit/thanks?session_id=cs_1", { signedIn: false });
    await expect.poll(() => service().asked("POST /api/credit-requests/outcome").length).toBeGreaterThan(1);
    expect(screen.getByRole("heading", { name: "Updating your balance..." })).toBeVisible();
    service().on("POST /api/credit-requests/outcome", {
      ...{ status: "paid", name: "Ama", amount: "20.00" },
      ...{ credit: "given", due_at: null, goes_back: null },
    });
    expect(await screen.findByText(/^Ama now has \$20\.00 more credit/)).toBeVisible();
  });

  test("who has paid can ask again after a minute without an outcome", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    service().on("POST /api/credit-requests/outcome", {
      ...{ status: "open", name: "Ama", amount: "20.00" },
      ...{ credit: null, due_at: null, goes_back: null },
    });
    const person = await openApp("/credit/thanks?session_id=cs_1", { signedIn: false });
    expect(await screen.findByRole("heading", { name: "Updating your balance..." })).toBeVisible();
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(await screen.findByRole("heading", { name: "Your payment is on its way" })).toBeVisible();
    service().on("POST /api/credit-requests/outcome", {
      ...{ status: "paid", name: "Ama", amount: "20.00" },
      ...{ credit: "given", due_at: null, goes_back: null },
    });
    await person.click(screen.getByRole("button", { name: "Check again" }));
    expect(await screen.findByText(/^Ama now has \$20\.00 more credit/)).toBeVisible();
  });

  test("of whose payment nothing is known is told so", async () => {
    service().on("POST /api/credit-requests/outcome", refused("not_found", "This payment does not exist."));
    await openApp("/credit/thanks?session_id=cs_2", { signedIn: false });
    expect(await screen.findByRole("heading", { name: "We do not know this payment" })).toBeVisible();
  });
});
