import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aCall, aCallQuote, aContact, anId, aUser, listOf } from "../../test/answers.ts";
import { left, openApp, withFakeService } from "../../test/open-app.tsx";
import { spoilStorage } from "../../test/spoilt-storage.ts";

/**
 * Browsers lack or refuse interfaces: old ones, private windows, blocked site data, full disks, insecure origins, policies. Signing in,
 * the dialer, a payment and the lists must work without each of them.
 */

vi.mock("../phone/create-phone.ts", () => import("../../test/phone-in-app.ts"));

const service = withFakeService();
const undo: (() => void)[] = [];
afterEach(() => {
  for (const restore of undo.splice(0)) restore();
});

/** Replaces `owner[name]`: `missing`, it is undefined; `refused`, every use of it throws or rejects. */
function spoil(owner: object, name: string, how: "missing" | "refused"): void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const refuse = (): never => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  const refusing = new Proxy(refuse, { get: () => async () => refuse(), construct: refuse });
  Object.defineProperty(owner, name, { configurable: true, writable: true, value: how === "missing" ? undefined : refusing });
  undo.push(() => (own === undefined ? void Reflect.deleteProperty(owner, name) : Object.defineProperty(owner, name, own)));
}

const OF_WINDOW = ["BroadcastChannel", "indexedDB", "caches"];
const OF_NAVIGATOR = ["locks", "serviceWorker", "storage", "permissions", "mediaSession", "wakeLock", "clipboard"];
const MISSING_ONLY = [
  "ResizeObserver",
  "IntersectionObserver",
  "requestIdleCallback",
  "scheduler",
  "Notification",
  "trustedTypes",
];

const lacks: [string, () => void][] = [
  ...OF_WINDOW.flatMap((name) => both(name, () => globalThis)),
  ...OF_NAVIGATOR.flatMap((name) => both(name, () => navigator)),
  ...MISSING_ONLY.map((name): [string, () => void] => [`no ${name}`, () => spoil(globalThis, name, "missing")]),
  [
    "no crypto.randomUUID and crypto.subtle, as on insecure origins",
    () => ["randomUUID", "subtle"].forEach((name) => spoil(crypto, name, "missing")),
  ],
  ["no mediaDevices, as on insecure origins", () => spoil(navigator, "mediaDevices", "missing")],
  ["no listeners on media queries", () => undo.push(withoutMediaListeners())],
  ["blocked storage", () => undo.push(spoilStorage("blocked"))],
  ["full storage", () => undo.push(spoilStorage("full"))],
  ["no storage", () => undo.push(spoilStorage("missing"))],
  ["no cookies", () => spoil(navigator, "cookieEnabled", "missing")],
];

function both(name: string, owner: () => object): [string, () => void][] {
  return [
    [`no ${name}`, () => spoil(owner(), name, "missing")],
    [`${name} that is refused`, () => spoil(owner(), name, "refused")],
  ];
}

function withoutMediaListeners(): () => void {
  const own = window.matchMedia;
  window.matchMedia = (query) => Object.assign(own.call(window, query), { addEventListener: undefined });
  return () => (window.matchMedia = own);
}

beforeEach(() => {
  service().on("POST /api/login", { token: "fresh-token", user: aUser() });
  service().on("POST /api/calls/quote", aCallQuote());
  service().on("POST /api/billing/purchase-package", {
    payment_id: anId(),
    session_id: null,
    checkout_url: "https://checkout.example/pay",
  });
  service().on("GET /api/calls/history", { calls: listOf([aCall()]) });
  service().on("GET /api/contacts", { contacts: [aContact()], next_cursor: "more", total: 60 });
});

/** Opens a page inside the app, as its links do: without storage a new document would be signed out. */
async function visit(path: string): Promise<void> {
  await act(async () => {
    window.history.pushState(null, "", path);
    window.dispatchEvent(new PopStateEvent("popstate"));
  });
}

test.each(lacks)("with %s a customer signs in, sees a price, pays, and reads the lists", async (_, lack) => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  lack();
  const person = await openApp("/login", { signedIn: false });
  await person.type(screen.getByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42{Enter}");
  fireEvent.change(await screen.findByLabelText("Phone number"), { target: { value: "+233244123456" } });
  await waitFor(() => expect(service().asked("POST /api/calls/quote")).not.toEqual([]));
  expect(await screen.findByRole("button", { name: "Call Now" })).toBeVisible();

  await visit("/topup");
  await person.click(await screen.findByRole("button", { name: /Secure Checkout/ }));
  await waitFor(() => expect(left).toHaveBeenCalledWith("https://checkout.example/pay"));

  await visit("/history");
  expect(await screen.findByRole("heading", { name: "Call History" })).toBeVisible();
  await waitFor(() => expect(service().asked("GET /api/calls/history")).not.toEqual([]));
  await visit("/contacts");
  expect(await screen.findByText("Kwame Mensah")).toBeVisible();
  expect(screen.queryByText(/Something went wrong/)).toBeNull();
  expect(errors.mock.calls.flat().filter((one) => one instanceof Error && one.name === "TypeError")).toEqual([]);
});
