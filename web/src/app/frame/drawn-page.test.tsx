import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { aCallQuote, aUser } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { compositionEnded, elementOfApp, handleDrawnPage } from "../../browser/drawn-page.ts";
import { renderShell } from "./render-shell.tsx";

vi.mock("../../phone/create-phone.ts", () => import("../../../test/phone-in-app.ts"));

const service = withFakeService();

beforeAll(handleDrawnPage);
beforeEach(() => document.getElementById("root")?.remove());

/** Shows the page that the build draws for an address. */
function draw(path: keyof ReturnType<typeof renderShell>): HTMLElement {
  const page = document.createElement("div");
  page.id = "root";
  page.dataset["shell"] = "";
  page.innerHTML = renderShell("en")[path];
  document.body.append(page);
  window.history.replaceState(null, "", path);
  return page;
}

/** The field of the app that has taken the drawn page's place. */
async function taken(page: HTMLElement, label: string): Promise<HTMLInputElement> {
  await waitFor(() => expect(page.isConnected).toBe(false));
  return screen.findByLabelText<HTMLInputElement>(label);
}

test("the app takes over the digits and the focus of the prerendered dialer", async () => {
  service().on("POST /api/calls/quote", aCallQuote());
  const page = draw("/dialer");
  const person = userEvent.setup();
  const field = within(page).getByLabelText("Phone number");
  for (const key of ["0", "2", "0"]) await person.click(within(page).getByRole("button", { name: key }));
  await person.keyboard("7");
  await person.type(field, "946{Enter}");
  expect(field).toHaveValue("0207946");

  await openApp("/dialer");
  const shown = await taken(page, "Phone number");
  expect(shown).toHaveFocus();
  expect(shown.value.replaceAll(/\D/g, "")).toBe("0207946");
  expect(service().asked("POST /api/calls/initiate")).toEqual([]);
});

test("the sign-in form takes over what was typed into the prerendered one, with the focus and the caret", async () => {
  const page = draw("/login");
  const person = userEvent.setup();
  await person.type(within(page).getByLabelText("Email"), "grace@example.com");
  const drawn = within(page).getByLabelText<HTMLInputElement>("Password");
  await person.type(drawn, "half a phra");
  drawn.setSelectionRange(4, 6);

  await openApp("/login", { signedIn: false });
  const password = await taken(page, "Password");
  expect(screen.getByLabelText("Email")).toHaveValue("grace@example.com");
  expect(password).toHaveValue("half a phra");
  expect(password).toHaveFocus();
  expect([password.selectionStart, password.selectionEnd]).toEqual([4, 6]);
  expect(service().asked("POST /api/login")).toEqual([]);
});

test("what a password manager filled without an event is taken over, and a focus on a link, but none that was left", async () => {
  for (const [leave, name] of [
    [false, "Forgot your password?"],
    [true, null],
  ] as const) {
    const page = draw("/login");
    within(page).getByLabelText<HTMLInputElement>("Password").value = "filled in";
    const link = within(page).getByRole("link", { name: "Forgot your password?" });
    link.focus();
    if (leave) link.blur();
    await openApp("/login", { signedIn: false });
    const password = await taken(page, "Password");
    expect(password).toHaveValue("filled in");
    if (name === null) expect(document.body).toHaveFocus();
    else expect(screen.getByRole("link", { name })).toHaveFocus();
    document.body.replaceChildren();
  }
});

test.each(["Enter", "a press"])("%s before the app has loaded shows at once, and signs in once it has", async (how) => {
  service().on("POST /api/login", refused("validation_failed"));
  const page = draw("/login");
  const person = userEvent.setup();
  await person.type(within(page).getByLabelText("Email"), "grace@example.com");
  await person.type(within(page).getByLabelText("Password"), "a long enough phrase 42");
  const button = within(page).getByRole("button", { name: "Sign In" });
  if (how === "Enter") await person.keyboard("{Enter}");
  else await person.click(button);
  expect(button).toHaveAttribute("aria-busy", "true");
  expect(service().asked("POST /api/login")).toEqual([]);

  await openApp("/login", { signedIn: false });
  await waitFor(() => expect(service().asked("POST /api/login")).toHaveLength(1));
  expect(service().asked("POST /api/login")[0]?.body).toMatchObject({
    email: "grace@example.com",
    password: "a long enough phrase 42",
  });
});

test("typing after a press cancels it", async () => {
  const page = draw("/register");
  const person = userEvent.setup();
  await person.type(within(page).getByLabelText("Full Name"), "Grace{Enter}");
  expect(within(page).getByRole("button", { name: "Create Account" })).toHaveAttribute("aria-busy");
  await person.type(within(page).getByLabelText("Email"), "grace@");
  await openApp("/register", { signedIn: false });
  expect(await taken(page, "Email")).toHaveValue("grace@");
  expect(screen.queryByText("Enter a password")).toBeNull();
  expect(service().asked("POST /api/register")).toEqual([]);
});

test("the app waits for the end of a word that an input method composes, within a bound", async () => {
  vi.useFakeTimers();
  try {
    const name = within(draw("/register")).getByLabelText("Full Name");
    const ends = vi.fn<() => void>();
    await compositionEnded();
    fireEvent.compositionStart(name);
    void compositionEnded().then(ends);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ends).not.toHaveBeenCalled();
    fireEvent.compositionEnd(name);
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toHaveBeenCalledTimes(1);
    fireEvent.compositionStart(name);
    void compositionEnded().then(ends);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ends).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test("the drawn page stays until the app is there, which then has its place", async () => {
  const page = draw("/login");
  const app = elementOfApp();
  expect([page.isConnected, app.previousElementSibling]).toEqual([true, page]);
  app.remove();
  await openApp("/login", { signedIn: false });
  await taken(page, "Email");
  expect(document.getElementById("root")).toContainElement(screen.getByLabelText("Email"));
  expect(elementOfApp()).toBe(document.getElementById("root"));
});

test("a customer for whom a form was drawn, because cookies were lost, is not signed in with it", async () => {
  service().on("GET /api/user", { user: aUser() });
  const page = draw("/login");
  const person = userEvent.setup();
  await person.type(within(page).getByLabelText("Password"), "half{Enter}");
  await openApp("/login");
  await waitFor(() => expect(page.isConnected).toBe(false));
  await waitFor(() => expect(window.location.pathname).toBe("/dialer"));
  expect(service().asked("POST /api/login")).toEqual([]);
});

test("nothing of the prerendered dialer but its number field and keys can be used", () => {
  const shell = document.createElement("div");
  shell.innerHTML = renderShell("en")["/dialer"];
  for (const part of shell.querySelectorAll("[inert]")) part.remove();
  const usable = [...shell.querySelectorAll("a, button, input, select")].map(({ tagName }) => tagName);
  expect(usable).toEqual(["A", "INPUT", ...Array.from({ length: 12 }, () => "BUTTON")]);
});
