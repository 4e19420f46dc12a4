import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aBalance, aCall, aConfig, aUser } from "../../test/answers.ts";
import { refused, UNREACHABLE } from "../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../test/open-app.tsx";
import { dropSession, getToken, startSession } from "../session/session.ts";
import { toast } from "../ui/messages/toast.ts";

const service = withFakeService();

const languages = [
  ["en", "ltr", "Call History"],
  ["es", "ltr", "Historial de llamadas"],
  ["fr", "ltr", "Historique des appels"],
  ["hi", "ltr", "कॉल इतिहास"],
  ["ar", "rtl", "سجل المكالمات"],
] as const;

describe("the frame of every page", () => {
  test.each(["/dashboard", "/dialer", "/topup", "/history"])("on %s says why the account is locked", async (path) => {
    service().on("GET /api/user", { user: aUser({ status: "frozen", frozen_because: "calls" }) });
    await openApp(path);
    expect(await screen.findByText("Your account is locked")).toBeVisible();
    expect(screen.getByText("Your calls look unusual, and we want to be sure that it is you.")).toBeVisible();
    expect(screen.getByRole("link", { name: "Contact us" })).toHaveAttribute("href", "/cases/new");
  });

  test("shows the navigation, the balance and the logout", async () => {
    service().on("POST /api/logout", undefined);
    const person = await openApp("/history");
    const bar = within(screen.getByRole("banner"));
    const links = within(bar.getByRole("navigation", { name: "Main" })).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "/dashboard",
      "/dialer",
      "/contacts",
      "/history",
      "/topup",
      "/rates",
    ]);
    expect(await bar.findByRole("link", { name: "Balance USD $5.00" })).toHaveAttribute("href", "/billing");
    expect(bar.getByRole("link", { name: "History" })).toHaveAttribute("aria-current", "page");
    localStorage.setItem("own:someone:contacts", "[]");
    await person.click(bar.getByRole("button", { name: "Logout" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("/"));
    expect(getToken()).toBeNull();
    expect(localStorage.getItem("own:someone:contacts")).toBeNull();
    expect(service().asked("POST /api/logout")[0]?.headers.get("Authorization")).toBe("Bearer token-of-grace");
  });

  test("is at its top when opened, and where it was left when gone back to", async () => {
    // As newer browsers answer.
    const scrollTo = vi.spyOn(window, "scrollTo").mockImplementation(() => Promise.resolve());
    const scrolled = (y: number) => Object.defineProperty(window, "scrollY", { configurable: true, value: y });
    const person = await openApp("/history");
    const entry: unknown = window.history.state;
    scrolled(640);
    await person.click(within(screen.getByRole("navigation", { name: "Main" })).getByRole("link", { name: "Dashboard" }));
    await waitFor(() =>
      expect(scrollTo.mock.calls).toEqual([
        [0, 0],
        [0, 0],
      ]),
    );
    scrolled(0);
    window.history.replaceState(entry, "", "/history");
    act(() => void window.dispatchEvent(new PopStateEvent("popstate")));
    await waitFor(() => expect(scrollTo).toHaveBeenLastCalledWith(0, 640));
  });

  test("starts with a skip link, and focuses the page that a link opened", async () => {
    const person = await openApp("/history");
    await person.tab();
    expect(screen.getByRole("link", { name: "Skip to content" })).toHaveFocus();
    expect(screen.getByRole("link", { name: "Skip to content" })).toHaveAttribute("href", "#main");
    await person.click(within(screen.getByRole("navigation", { name: "Main" })).getByRole("link", { name: "Dashboard" }));
    expect(await screen.findByRole("heading", { level: 1 })).toBeVisible();
    await waitFor(() => expect(screen.getByRole("main")).toHaveFocus());
  });

  test("shows the sandbox notice in a sandbox only", async () => {
    service().on("GET /api/config", aConfig({ mode: "sandbox", sandbox_url: "http://localhost:3001" }));
    await openApp("/history");
    expect(await screen.findByText(/^Sandbox — no real money, no real calls\.$/)).toBeVisible();
    expect(screen.getByRole("link", { name: "Test numbers and cards" })).toHaveAttribute("href", "http://localhost:3001");
  });

  test("a page that carries its settings shows at once that it is a sandbox, and asks for nothing", async () => {
    const carrier = document.createElement("script");
    carrier.type = "application/json";
    carrier.dataset["config"] = "";
    carrier.textContent = JSON.stringify(aConfig({ mode: "sandbox" }));
    document.head.append(carrier);
    try {
      await openApp("/login", { signedIn: false });
      expect(screen.getByText(/^Sandbox/)).toBeVisible();
      expect(service().asked("GET /api/config")).toEqual([]);
    } finally {
      carrier.remove();
    }
  });

  test("shows the offline notice only while offline", async () => {
    const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await openApp("/history");
    const words = "You are offline. Calls and payments work again when you’re back online.";
    expect(await screen.findByText(words)).toBeVisible();
    online.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event("online")));
    await waitFor(() => expect(screen.queryByText(words)).toBeNull());
  });

  test("opens a menu with the links that do not fit the bar; Escape closes it", async () => {
    const person = await openApp("/history");
    const menu = screen.getByRole("button", { name: "Menu" });
    await person.click(menu);
    expect(menu).toHaveAttribute("aria-expanded", "true");
    const links = within(await screen.findByRole("navigation", { name: "Menu" }));
    for (const name of ["Account", "Balance", "Family", "Receipts"]) expect(links.getByRole("link", { name })).toBeVisible();
    await person.keyboard("{Escape}");
    expect(menu).toHaveAttribute("aria-expanded", "false");
    expect(menu).toHaveFocus();
  });

  test("refetches the data named by a live hint", async () => {
    await openApp("/history");
    await screen.findByRole("link", { name: "Balance USD $5.00" });
    service().on("GET /api/billing/balance", aBalance({ balance: "12.00" }));
    service().hint({ type: "balance" });
    expect(await screen.findByRole("link", { name: "Balance USD $12.00" })).toBeVisible();
  });
});

describe("the sign-in page", () => {
  test("is shown to a visitor of any page of the app", async () => {
    await openApp("/history", { signedIn: false });
    expect(await screen.findByRole("button", { name: "Sign In" })).toBeVisible();
    expect(window.location.pathname).toBe("/login");
  });

  test("leads to the requested page", async () => {
    service().on("POST /api/login", { token: "fresh-token", user: aUser() });
    // An earlier test logged out explicitly, which is remembered until the next session.
    startSession("an-ended-session");
    dropSession();
    const person = await openApp("/history?country=GH", { signedIn: false });
    await person.type(await screen.findByLabelText("Email"), "grace@example.com");
    await person.type(screen.getByLabelText("Password"), "a long enough phrase 42{Enter}");
    expect(await screen.findByRole("heading", { name: "Call History" })).toBeVisible();
    expect(window.location.pathname + window.location.search).toBe("/history?country=GH");
    expect(sessionStorage.getItem("return-path")).toBeNull();
  });

  test.each(["/history?country=GH", "/rates"])("a customer who logs out on %s leaves for the landing page only", async (path) => {
    service().on("POST /api/logout", undefined);
    service().on("GET /api/rates/countries", { countries: [] });
    const person = await openApp(path);
    const routed = vi.spyOn(history, "replaceState");
    await person.click(within(screen.getByRole("banner")).getByRole("button", { name: "Logout" }));
    await waitFor(() => expect(left.mock.calls).toEqual([["/"]]));
    expect(routed).not.toHaveBeenCalled();
    expect(sessionStorage.getItem("return-path")).toBeNull();
  });

  test("appears when the service no longer accepts the session", async () => {
    service().on("GET /api/user", refused("unauthenticated", "Sign in."));
    await openApp("/history");
    await waitFor(() => expect(window.location.pathname).toBe("/login"));
    expect(getToken()).toBeNull();
  });

  test("is not shown when the service cannot be reached: the page says so and retries", async () => {
    service().on("GET /api/user", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/history");
    expect(await screen.findByText("Farline cannot be reached")).toBeVisible();
    service().on("GET /api/user", { user: aUser() });
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "Call History" })).toBeVisible();
    expect(getToken()).not.toBeNull();
  });

  test("is not shown at an address that does not exist", async () => {
    await openApp("/no-such-page");
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeVisible();
    expect(screen.getByRole("navigation", { name: "Main" })).toBeVisible();
  });

  test("shows links at an address that does not exist, and offline, for a visitor too", async () => {
    const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await openApp("/no-such-page", { signedIn: false });
    expect(await screen.findByRole("heading", { name: "You are offline" })).toBeVisible();
    const links = within(screen.getByRole("navigation")).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/", "/rates", "/login"]);
    online.mockReturnValue(true);
  });

  test("offers a visitor one way home at an address that does not exist", async () => {
    await openApp("/no-such-page", { signedIn: false });
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeVisible();
    expect(screen.getAllByRole("link", { name: "Go to Farline" })).toHaveLength(1);
    const links = within(screen.getByRole("navigation")).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/rates", "/login"]);
  });
});

describe("an unconfirmed mail address", () => {
  const notice = () => screen.findByRole("complementary", { name: "Confirm your email" });

  test("is shown above most pages, below the dialer and the top-up page, and not on the account page", async () => {
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    await openApp("/history");
    const before = (await notice()).compareDocumentPosition(screen.getByRole("heading", { name: "Call History" }));
    expect(before & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  test("comes after the page's content where people pay", async () => {
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    await openApp("/topup");
    const heading = await screen.findByRole("heading", { level: 1 });
    expect((await notice()).compareDocumentPosition(heading) & Node.DOCUMENT_POSITION_PRECEDING).toBeTruthy();
  });

  test("can request the mail again", async () => {
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    service().on("GET /api/config", aConfig({ first_call: "0.25" }));
    service().on("POST /api/email/verification", { reason: "", message: "We have sent a mail to grace@example.com." });
    const person = await openApp("/history");
    const aside = within(await notice());
    expect(aside.getByText(/Confirm your email to get your free first call, up to \$0\.25\.$/)).toBeVisible();
    await person.click(aside.getByRole("button", { name: "Send again" }));
    expect(await aside.findByText("We have sent a mail to grace@example.com.")).toBeVisible();
  });

  test("is not shown once it is confirmed", async () => {
    await openApp("/history");
    await screen.findByText("No Calls Yet");
    expect(screen.queryByRole("complementary", { name: "Confirm your email" })).toBeNull();
  });
});

describe("languages", () => {
  test.each(languages)("%s is read from %s", async (language, direction, heading) => {
    await openApp("/history", { language });
    expect(await screen.findByRole("heading", { level: 1, name: heading })).toBeVisible();
    expect(document.documentElement).toHaveAttribute("lang", language);
    expect(document.documentElement).toHaveAttribute("dir", direction);
  });

  test("a chosen language is applied at once, remembered, and sent to the service for the mails", async () => {
    service().on("PATCH /api/user", { user: aUser({ language: "ar" }) });
    const person = await openApp("/history");
    await person.click(screen.getByRole("button", { name: "Language and display" }));
    await person.selectOptions(screen.getByLabelText("Language"), "ar");
    expect(await screen.findByRole("heading", { name: "سجل المكالمات" })).toBeVisible();
    expect(document.documentElement).toHaveAttribute("dir", "rtl");
    expect(localStorage.getItem("language")).toBe("ar");
    await waitFor(() => expect(service().asked("PATCH /api/user")[0]?.body).toEqual({ language: "ar" }));
  });

  test("a chosen theme is remembered and marks the document", async () => {
    const person = await openApp("/login", { signedIn: false });
    await person.selectOptions(screen.getByLabelText("Theme"), "dark");
    expect(document.documentElement).toHaveAttribute("data-theme", "dark");
    expect(localStorage.getItem("theme")).toBe("dark");
    await person.selectOptions(screen.getByLabelText("Theme"), "system");
    expect(document.documentElement).not.toHaveAttribute("data-theme");
  });

  test("a chosen text size is remembered, for the public pages too, and marks the document", async () => {
    const person = await openApp("/login", { signedIn: false });
    await person.selectOptions(screen.getByLabelText("Text size"), "Very large");
    expect(document.documentElement).toHaveAttribute("data-text-size", "largest");
    expect(localStorage.getItem("text-size")).toBe("largest");
    expect(document.cookie).toContain("text-size=largest");
    await person.selectOptions(screen.getByLabelText("Text size"), "Normal");
    expect(document.documentElement).not.toHaveAttribute("data-text-size");
    expect(localStorage.getItem("text-size")).toBeNull();
  });
});

describe("a call in another tab or device", () => {
  test("is shown on every page, and can be ended from there", async () => {
    const call = aCall({ status: "in-progress", ended_at: null, end_reason: null });
    let live: typeof call | null = call;
    service().on("GET /api/calls/live", () => ({
      call: live,
      rejoinable: false,
      line_id: null,
      now: "2026-05-18T09:01:00.000Z",
    }));
    service().on("GET /api/calls/:id", () => ({ call: live ?? { ...call, status: "completed" } }));
    service().on("POST /api/calls/:id/hangup", () => {
      live = null;
      return { call: { ...call, status: "completed", end_reason: "hangup" } };
    });
    const person = await openApp("/billing");
    const strip = within(await screen.findByRole("alert", { name: "A call is open elsewhere" }));
    await waitFor(() => expect(strip.getByText(/\+233 20 000 0142/)).toBeVisible());
    expect(strip.queryByRole("button", { name: "Rejoin" })).toBeNull();
    await person.click(strip.getByRole("button", { name: "Hang Up" }));
    await waitFor(() => expect(screen.queryByRole("alert", { name: "A call is open elsewhere" })).toBeNull());
    expect(service().ids("POST /api/calls/:id/hangup")).toEqual([call.id]);
  });
});

describe("toasts", () => {
  test("are announced, errors at once, and can be closed", async () => {
    const person = await openApp("/history");
    act(() => toast.success("All is well"));
    act(() => toast.error("Something is not"));
    const messages = within(await screen.findByRole("region", { name: "Messages" }));
    expect(screen.getByRole("region", { name: "Messages" })).toHaveAttribute("aria-live", "polite");
    expect(await messages.findByRole("alert")).toHaveTextContent("Something is not");
    expect(messages.getByText("All is well").closest("[role=alert]")).toBeNull();
    await person.click(within(messages.getByRole("alert")).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(messages.queryByText("Something is not")).toBeNull());
    expect(messages.getByText("All is well")).toBeVisible();
  });

  test("stand in an open dialog, outside of which nothing is announced, and on the page once it is closed", async () => {
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: "Add Contact" }));
    const dialog = within(await screen.findByRole("dialog"));
    act(() => toast.warning("Your headset is gone"));
    expect(await dialog.findByText("Your headset is gone")).toBeVisible();
    expect(screen.getAllByText("Your headset is gone")).toHaveLength(1);
    await person.click(dialog.getByRole("button", { name: "Cancel" }));
    act(() => toast.success("Another one is used"));
    expect(await within(screen.getByRole("region", { name: "Messages" })).findByText("Another one is used")).toBeVisible();
  });

  test("that no longer apply are dismissed", async () => {
    await openApp("/history");
    act(() => toast.info("Calling…", "calling"));
    expect(await screen.findByText("Calling…")).toBeVisible();
    act(() => toast.dismiss("calling"));
    await waitFor(() => expect(screen.queryByText("Calling…")).toBeNull());
  });
});

test("a failed refetch says so, and the older data stays", async () => {
  await openApp("/history");
  await screen.findByRole("link", { name: "Balance USD $5.00" });
  service().on("GET /api/billing/balance", refused("rate_limited", "Too many attempts."));
  service().hint({ type: "balance" });
  expect(await screen.findByText("Failed to fetch balance")).toBeVisible();
  expect(screen.getByRole("link", { name: "Balance USD $5.00" })).toBeVisible();
});

test("a visitor's page works without the service's config", async () => {
  service().on("GET /api/config", UNREACHABLE);
  await openApp("/login", { signedIn: false });
  expect(screen.getByRole("button", { name: "Sign In" })).toBeVisible();
});
