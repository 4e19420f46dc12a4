import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aUser } from "../../test/answers.ts";
import { connectedCall } from "../../test/call-in-app.ts";
import { refused } from "../../test/fake-service.ts";
import { openApp, withFakeService } from "../../test/open-app.tsx";
import { phoneEdges } from "../../test/phone-in-app.ts";
import { translatePage } from "../../test/translate-page.ts";
import { routes } from "./routes.tsx";

vi.mock("../phone/create-phone.ts", () => import("../../test/phone-in-app.ts"));

/** Pages under a browser's translation, which replaces every text node. Nothing may crash or show an outdated text. */

const service = withFakeService();
let stop: () => void;

beforeEach(() => {
  stop = translatePage();
});
afterEach(() => stop());

function pathsOf(list: typeof routes): string[] {
  return list.flatMap(({ path, children }) => [
    ...(path === undefined || path === "*" ? [] : [path]),
    ...pathsOf(children ?? []),
  ]);
}

const paths = pathsOf(routes).filter((path) => path !== "/");
/** More than any page has buttons. */
const MAX_PRESSES = 40;

test.each(paths)("%s can be used: each button, box and field", async (path) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  for (const route of ["GET /api/calls/:id/details", "GET /api/billing/receipts/:id"] as const)
    service().on(route, refused("not_found"));
  service().on("GET /api/rates/countries", { countries: [] });
  const isForVisitors = /^\/(?:login|register|auth)/.test(path);
  await openApp(path.replace(":id", "01976d00-0000-7000-8000-000000000001"), { signedIn: !isForVisitors });
  await act(async () => undefined);
  const pressed = new Set<string>();
  for (let press = 0; press < MAX_PRESSES; press += 1) {
    const next = [...document.querySelectorAll<HTMLElement>("main button, main input, main select, dialog button")].find(
      (one) => !pressed.has(nameOf(one)),
    );
    if (next === undefined) break;
    pressed.add(nameOf(next));
    await use(next);
    expect(screen.queryByText(/Something went wrong/)).toBeNull();
  }
  expect(document.querySelector("main")).not.toBeNull();
  // Requests without a prepared answer are irrelevant here.
  service().faults.length = 0;
});

function nameOf(element: HTMLElement): string {
  return [element.tagName, element.getAttribute("aria-label"), element.textContent, element.getAttribute("name")].join("|");
}

async function use(element: HTMLElement): Promise<void> {
  if (element instanceof HTMLInputElement && !["checkbox", "radio", "file", "range"].includes(element.type))
    fireEvent.change(element, { target: { value: "12" } });
  else if (!(element instanceof HTMLSelectElement)) fireEvent.click(element);
  await act(async () => undefined);
}

test("a visitor is refused, corrects the password, and is signed in", async () => {
  service().on("POST /api/login", refused("credentials_wrong", "The email address or password is wrong."));
  const person = await openApp("/login", { signedIn: false });
  await person.click(screen.getByRole("button", { name: "Sign In" }));
  expect(await screen.findByText("Enter your email address.")).toBeVisible();
  await person.type(screen.getByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), "not the password{Enter}");
  expect(await screen.findByText("The email address or password is wrong.")).toBeVisible();
  const answer = service().hold("POST /api/login", { token: "fresh-token", user: aUser() });
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42{Enter}");
  expect(await screen.findByRole("button", { name: "Signing in..." })).toBeVisible();
  answer();
  await waitFor(() => expect(window.location.pathname).toBe("/dialer"));
});

test("a call is made, muted, shown with its time, and hung up", async () => {
  const person = await connectedCall(service());
  await person.click(await screen.findByRole("button", { name: "Mute" }));
  await person.click(screen.getByRole("button", { name: "Hold" }));
  expect(await screen.findByText("On hold")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Keypad" }));
  await person.click(screen.getByRole("button", { name: "Hang Up" }));
  expect(await screen.findByText("Call ended")).toBeVisible();
  expect(phoneEdges().call().hangups).toBe(1);
  act(() => phoneEdges().phone.signOut());
});
