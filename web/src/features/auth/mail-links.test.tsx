import { act, screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { refused, UNREACHABLE } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { getToken } from "../../session/session.ts";

const service = withFakeService();

const BAD_LINK = "This link no longer works. Ask for a new one.";

const secret = `link-${"x".repeat(59)}`;

// First, because the page keeps a link's token in its memory.
test("a link without its token says what to do", async () => {
  await openApp("/verify-email", { signedIn: false });
  expect(await screen.findByText("Open the link in our email again.")).toBeVisible();
});

describe.each([
  ["/verify-email", "POST /api/email/verify", "Confirm my address"],
  ["/change-email", "POST /api/email/change/confirm", "Confirm the change"],
  ["/newsletter/confirm", "POST /api/newsletter/confirm", "Send me rate updates"],
  ["/newsletter/unsubscribe", "POST /api/newsletter/unsubscribe", "Unsubscribe"],
] as const)("a link to %s", (path, route, button) => {
  const sent = () => service().bodies(route);

  test("changes nothing until its button is pressed, and leaves no token in the address", async () => {
    service().on(route, refused("link_expired", BAD_LINK));
    const person = await openApp(`${path}#t=${secret}`, { signedIn: false });
    const press = await screen.findByRole("button", { name: button });
    expect(window.location.href).toBe(`http://localhost:3000${path}`);
    expect(sent()).toEqual([]);
    await person.click(press);
    expect(await screen.findByRole("alert")).toHaveTextContent(BAD_LINK);
    expect(sent()).toEqual([{ token: secret }]);
  });

  test("that has expired shows the next step", async () => {
    service().on(route, refused("link_expired", BAD_LINK));
    const person = await openApp(`${path}#t=${secret}`, { signedIn: false });
    await person.click(await screen.findByRole("button", { name: button }));
    expect(await screen.findByRole("link", { name: "Sign In" })).toHaveAttribute("href", "/login");
  });

  test("keeps its button if the service cannot be reached", async () => {
    service().on(route, UNREACHABLE);
    const person = await openApp(`${path}#t=${secret}`, { signedIn: false });
    await person.click(await screen.findByRole("button", { name: button }));
    expect(await screen.findByRole("alert")).toHaveTextContent("We can’t reach Farline.");
    expect(screen.getByRole("button", { name: button })).toBeEnabled();
  });
});

test("a second link on the same page has a button of its own", async () => {
  const waiting = { status: "waiting", reason: "", message: "Open the other link.", email: "grace@example.com" } as const;
  service().on("POST /api/email/change/confirm", waiting);
  const person = await openApp(`/change-email#t=${secret}`, { signedIn: false });
  await person.click(await screen.findByRole("button", { name: "Confirm the change" }));
  expect(await screen.findByRole("heading", { name: "One more email" })).toBeVisible();
  act(() => {
    window.location.hash = `t=other-${"x".repeat(58)}`;
    window.dispatchEvent(new PopStateEvent("popstate"));
  });
  await person.click(await screen.findByRole("button", { name: "Confirm the change" }));
  expect(service().asked("POST /api/email/change/confirm")).toHaveLength(2);
});

test("a confirmed address shows a message and takes a signed-in user to the dialer", async () => {
  const text = "Your email address is confirmed.";
  service().on("POST /api/email/verify", { status: "verified", reason: "", message: text, email: "grace@example.com" });
  const person = await openApp(`/verify-email#t=${secret}`);
  await person.click(await screen.findByRole("button", { name: "Confirm my address" }));
  expect(await screen.findByRole("heading", { name: "Email confirmed" })).toBeVisible();
  expect(screen.getByText(text)).toBeVisible();
  expect(screen.getByRole("link", { name: "Go to the dialer" })).toHaveAttribute("href", "/dialer");
});

test("a change of address that still needs the other link says so", async () => {
  service().on("POST /api/email/change/confirm", {
    status: "waiting",
    reason: "",
    message: "Open the other link.",
    email: "grace@example.com",
  });
  const person = await openApp(`/change-email#t=${secret}`, { signedIn: false });
  await person.click(await screen.findByRole("button", { name: "Confirm the change" }));
  expect(await screen.findByRole("heading", { name: "One more email" })).toBeVisible();
  expect(screen.getByText("Open the other link.")).toBeVisible();
});

describe("a forgotten password", () => {
  test("is requested by mail, and shows the service's message", async () => {
    service().on("POST /api/password/forgot", { reason: "", message: "If this address has an account, a mail is on its way." });
    const person = await openApp("/forgot-password", { signedIn: false });
    await person.type(screen.getByLabelText("Email"), "grace@example.com{Enter}");
    expect(await screen.findByRole("heading", { name: "Check your email" })).toBeVisible();
    expect(screen.getByText("If this address has an account, a mail is on its way.")).toBeVisible();
  });

  test("is replaced: a weak password shows an error at its field, a good one also ends this browser's session", async () => {
    service().judgesForms = true;
    const weak = "This password is too common.";
    service().on("POST /api/password/reset", refused("validation_failed", weak, { errors: { password: [weak] } }));
    const person = await openApp(`/reset-password#t=${secret}`);
    const password = screen.getByLabelText("New Password");
    await person.type(password, "password");
    await person.type(screen.getByLabelText("Confirm Password"), "password{Enter}");
    await waitFor(() => expect(password).toHaveAccessibleDescription(expect.stringContaining(weak)));
    expect(password).toHaveFocus();

    service().on("POST /api/password/reset", { reason: "", message: "Sign in with your new password." });
    await person.click(screen.getByRole("button", { name: "Save the password" }));
    expect(await screen.findByRole("heading", { name: "Password changed" })).toBeVisible();
    expect(getToken()).toBeNull();
    expect(service().asked("POST /api/password/reset")[0]?.body).toMatchObject({ token: secret });
  });

  test("with a used link offers a new one before anything is typed", async () => {
    service().on("POST /api/password/reset/account", refused("link_expired", BAD_LINK));
    await openApp(`/reset-password#t=${secret}`, { signedIn: false });
    expect(await screen.findByRole("alert")).toHaveTextContent(BAD_LINK);
    expect(screen.getByRole("link", { name: "Get a new link" })).toHaveAttribute("href", "/forgot-password");
  });

  test("with a link used meanwhile offers a new one", async () => {
    service().on("POST /api/password/reset", refused("link_expired", BAD_LINK));
    const person = await openApp(`/reset-password#t=${secret}`, { signedIn: false });
    await person.type(screen.getByLabelText("New Password"), "another long phrase 4711");
    await person.type(screen.getByLabelText("Confirm Password"), "another long phrase 4711{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent(BAD_LINK);
    expect(screen.getByRole("link", { name: "Get a new link" })).toHaveAttribute("href", "/forgot-password");
  });
});
