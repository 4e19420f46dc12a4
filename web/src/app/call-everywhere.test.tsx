import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { aCard, anId, autoTopUp } from "../../test/answers.ts";
import { connectedCall } from "../../test/call-in-app.ts";
import { refused } from "../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../test/open-app.tsx";
import { phoneEdges } from "../../test/phone-in-app.ts";
import { PhoneError } from "../phone/phone-error.ts";

vi.mock("../phone/create-phone.ts", () => import("../../test/phone-in-app.ts"));
// A file of the previous release, missing after a deployment.
vi.mock("../features/contacts/contacts-page.tsx", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});
vi.mock("../features/dashboard/dashboard-page.tsx", () => ({
  DashboardPage: () => {
    throw new Error("a page that cannot be rendered");
  },
}));

const service = withFakeService();

afterEach(() => act(() => phoneEdges().phone.signOut()));

const strip = async () => (await screen.findByRole("link", { name: "Back to the call" })).closest("section") as HTMLElement;
const goTo = (name: string) =>
  fireEvent.click(within(screen.getByRole("navigation", { name: "Main" })).getByRole("link", { name }));

function mayLeaveUnasked(): boolean {
  return window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

test("during a call every other page shows name, time, cost and Hang Up, and the browser asks before leaving", async () => {
  const person = await connectedCall(service());
  expect(mayLeaveUnasked()).toBe(false);
  goTo("History");
  const call = within(await strip());
  expect(call.getByText("Kwame Mensah")).toBeVisible();
  expect(call.getByText(/^\d\d:\d\d$/)).toBeVisible();
  expect(call.getByText(/^\$\d/)).toBeVisible();
  await person.click(call.getByRole("link", { name: "Back to the call" }));
  expect(await screen.findByText("Connected")).toBeVisible();
  goTo("History");
  await person.click(within(await strip()).getByRole("button", { name: "Hang Up" }));
  expect(phoneEdges().call().hangups).toBe(1);
  await waitFor(() => expect(screen.queryByRole("region", { name: "Call in progress" })).toBeNull());
  expect(mayLeaveUnasked()).toBe(true);
});

test.each([
  ["whose code is gone", "Contacts"],
  ["that cannot be rendered", "Dashboard"],
])("a page %s leaves the call in reach: Rejoin and Hang Up", async (_, name) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  const person = await connectedCall(service());
  goTo(name);
  expect(await screen.findByText("The call goes on. You can return to it or hang up.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Rejoin" }));
  expect(await screen.findByText("Connected")).toBeVisible();
  expect(phoneEdges().call().hangups).toBe(0);
  goTo(name);
  await screen.findByText("The call goes on. You can return to it or hang up.");
  await person.click(screen.getByRole("button", { name: "Hang Up" }));
  expect(phoneEdges().call().hangups).toBe(1);
  expect(reload).not.toHaveBeenCalled();
});

test("without a call, a page whose code is missing after a deployment is reloaded, once", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  await openApp("/dialer");
  const api = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
    input === window.location.href ? Promise.resolve(new Response("The page of a newer release.")) : api(input, init),
  );
  goTo("Contacts");
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
});

test("a lost microphone is reported at once on other pages too", async () => {
  await connectedCall(service());
  goTo("History");
  await strip();
  phoneEdges().microphone.refuse = new PhoneError("microphone_missing");
  await act(async () => phoneEdges().microphone.happens("ended"));
  expect(await screen.findByText(/^The other side can't hear you: your microphone is disconnected/)).toBeVisible();
  phoneEdges().microphone.refuse = null;
  await act(async () => phoneEdges().phone.refresh());
  expect(await screen.findByText("The other side can hear you again")).toBeVisible();
  await waitFor(() => expect(screen.queryByText(/^The other side can't hear you/)).toBeNull());
});

/** The tab that the browser opens next. */
function nextTab() {
  const tab = {
    opener: "this page" as unknown,
    location: { replace: vi.fn() },
    close: vi.fn(),
    sessionStorage: { clear: vi.fn() },
  };
  vi.spyOn(window, "open").mockReturnValue(tab as unknown as Window);
  return tab;
}

const PAYING = { payment_id: anId(), session_id: "session-1", checkout_url: "https://pay.example/session-1" };

test("paying during a call opens the payment page in its own tab, and this page stays usable", async () => {
  service().on("POST /api/billing/purchase-package", PAYING);
  const person = await connectedCall(service());
  goTo("Top Up");
  const tab = nextTab();
  await person.click(await screen.findByRole("button", { name: "Secure Checkout" }));
  expect(await screen.findByText("The page is open in another tab. Your call continues here.")).toBeVisible();
  expect(tab.location.replace).toHaveBeenCalledExactlyOnceWith(PAYING.checkout_url);
  expect(screen.getByRole("link", { name: "Open the page" })).toHaveAttribute("href", PAYING.checkout_url);
  expect(screen.getByRole("button", { name: "Secure Checkout" })).not.toHaveAttribute("aria-busy");
  expect(left).not.toHaveBeenCalled();
});

test("during a call a saved card pays without leaving, and a bank's page that the browser blocks is offered as a link", async () => {
  service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [aCard()] }));
  service().on("POST /api/billing/purchase-package", { ...PAYING, session_id: null });
  const person = await connectedCall(service());
  goTo("Top Up");
  vi.spyOn(window, "open").mockReturnValue(null);
  await person.click(await screen.findByRole("button", { name: /^Pay \$20\.00 with Visa/ }));
  expect(await screen.findByText("Your browser did not open the page.")).toBeVisible();
  expect(screen.getByRole("link", { name: "Open the page" })).toHaveAttribute("href", PAYING.checkout_url);

  const checkout_url = `/billing/success?payment_id=${PAYING.payment_id}`;
  service().on("POST /api/billing/purchase-package", { ...PAYING, session_id: null, checkout_url });
  service().on("POST /api/billing/confirm", refused("not_found"));
  await person.click(screen.getByRole("button", { name: /^Pay \$20\.00 with Visa/ }));
  await waitFor(() => expect(window.location.pathname + window.location.search).toBe(checkout_url));
  expect(await strip()).toBeVisible();
  expect(left).not.toHaveBeenCalled();
});

test("during a call Google cannot be connected, because its page would end the call", async () => {
  await connectedCall(service());
  fireEvent.click(screen.getAllByRole("link", { name: /Account/ })[0] as HTMLElement);
  expect(await screen.findByText("You can connect Google after the call.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Connect Google" })).toBeDisabled();
});
