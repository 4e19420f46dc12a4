import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aUser } from "../../../test/answers.ts";
import { refused, UNREACHABLE } from "../../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../../test/open-app.tsx";
import { getToken } from "../../session/session.ts";
import { setCallLive } from "../../session/session.ts";

const service = withFakeService();

const email = () => screen.getByLabelText("Email");
const password = () => screen.getByLabelText("Password");
const signInButton = () => screen.getByRole("button", { name: "Sign In" });

async function openSignIn(language: "en" | "ar" = "en") {
  return openApp("/login", { signedIn: false, language });
}

test("signing in works with only the keyboard, binds the session to this browser and leads to the dialer", async () => {
  service().on("POST /api/login", { token: "fresh-token", user: aUser() });
  const person = await openSignIn();
  email().focus();
  await person.keyboard("grace@example.com");
  await person.tab();
  await person.keyboard("a long enough phrase 42{Enter}");
  await waitFor(() => expect(window.location.pathname).toBe("/dialer"));
  expect(getToken()).toBe("fresh-token");
  const [asked] = service().asked("POST /api/login");
  expect(asked?.body).toEqual({ email: "grace@example.com", password: "a long enough phrase 42" });
  expect(asked?.headers.get("X-Session-Bind")).toBe("1");
});

test("empty fields show errors, and nothing is sent", async () => {
  const person = await openSignIn();
  await person.click(signInButton());
  expect(await screen.findByText("Enter your email address.")).toBeVisible();
  expect(screen.getByText("Enter your password.")).toBeVisible();
  expect(email()).toHaveFocus();
  expect(service().asked("POST /api/login")).toEqual([]);
});

test("a refused sign-in says why, keeps the typed text and focuses the password", async () => {
  service().on("POST /api/login", refused("credentials_wrong", "The email address or password is wrong."));
  const person = await openSignIn();
  await person.type(email(), "grace@example.com");
  await person.type(password(), "not the password");
  await person.click(signInButton());
  expect(await screen.findByRole("alert")).toHaveTextContent(/^The email address or password is wrong\.$/);
  expect(email()).toHaveValue("grace@example.com");
  expect(password()).toHaveValue("not the password");
  expect(password()).toHaveFocus();
});

test("a refusal is shown in the page's language", async () => {
  service().on("POST /api/login", refused("credentials_wrong", "The email address or password is wrong."));
  const person = await openSignIn("ar");
  expect(document.documentElement).toHaveAttribute("dir", "rtl");
  await person.type(screen.getByLabelText("البريد الإلكتروني"), "grace@example.com");
  await person.type(screen.getByLabelText("كلمة المرور"), "not the password{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent(/\p{Script=Arabic}/u);
  expect(screen.getByRole("alert")).not.toHaveTextContent(/wrong/);
});

test("without a network the form says so and can be sent again", async () => {
  service().on("POST /api/login", UNREACHABLE);
  const person = await openSignIn();
  await person.type(email(), "grace@example.com");
  await person.type(password(), "a long enough phrase 42{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("Login failed. Check your connection.");
  expect(signInButton()).not.toHaveAttribute("aria-busy");
});

test("while the form is being sent, the button is busy and ignores a second press", async () => {
  const release = service().hold("POST /api/login", refused("credentials_wrong"));
  const person = await openSignIn();
  await person.type(email(), "grace@example.com");
  await person.type(password(), "a long enough phrase 42{Enter}");
  const busy = await screen.findByRole("button", { name: "Signing in..." });
  expect(busy).toHaveAttribute("aria-busy", "true");
  await person.click(busy);
  release();
  expect(await screen.findByRole("alert")).toBeVisible();
  expect(service().asked("POST /api/login")).toHaveLength(1);
});

test("the Google button redirects to Google, and is hidden when not configured", async () => {
  service().on("GET /api/auth/google/redirect", { url: "https://accounts.google.com/o/oauth2/auth?state=s" });
  const person = await openSignIn();
  await person.click(await screen.findByRole("button", { name: "Continue with Google" }));
  await waitFor(() => expect(left).toHaveBeenCalledWith("https://accounts.google.com/o/oauth2/auth?state=s"));
});

test("a code of the authenticator app is required; a wrong one keeps the step, and a recovery code works instead", async () => {
  service().on("POST /api/login", {
    second_factor: {
      challenge: "c".repeat(43),
      methods: ["authenticator", "recovery_code"],
      expires_at: "2026-05-18T09:10:00.000Z",
    },
  });
  const wrong = "This code is wrong. Enter the one that your app shows now.";
  service().on("POST /api/login/second-factor", refused("code_wrong", wrong, { errors: { code: [wrong] } }));
  const person = await openSignIn();
  await person.type(email(), "grace@example.com");
  await person.type(password(), "a long enough phrase 42{Enter}");
  expect(await screen.findByRole("heading", { name: "One more step" })).toBeVisible();
  const code = screen.getByLabelText("Code");
  expect(code).toHaveFocus();
  expect(getToken()).toBeNull();
  await person.type(code, "000000{Enter}");
  await waitFor(() => expect(code).toHaveAccessibleDescription(wrong));
  expect(code).toBeInvalid();
  expect(code).toHaveFocus();

  service().on("POST /api/login/second-factor", { token: "fresh-token", user: aUser() });
  await person.click(screen.getByRole("button", { name: "Use a recovery code" }));
  expect(screen.getByLabelText("Recovery code")).toHaveFocus();
  await person.keyboard("abcde-fghij{Enter}");
  await waitFor(() => expect(getToken()).toBe("fresh-token"));
  expect(service().asked("POST /api/login/second-factor").at(-1)?.body).toEqual({
    challenge: "c".repeat(43),
    code: "abcde-fghij",
  });
});

describe("a robot check", () => {
  const challenge = { token: "t", proofs: 16, bits: 13, expires_at: "2026-05-18T09:10:00.000Z" };
  const CHECKING = "Checking that you’re not a robot. This takes a moment.";
  const counters = Array.from({ length: 16 }, (_, index) => index);

  /** A worker whose answers the test controls. */
  function scriptWorker() {
    const answers: { solve(): void; fail(): void }[] = [];
    class ScriptedWorker extends EventTarget {
      postMessage() {
        answers.push({
          solve: () => this.dispatchEvent(new MessageEvent("message", { data: counters })),
          fail: () => this.dispatchEvent(new Event("error")),
        });
      }
      terminate() {}
    }
    vi.stubGlobal("Worker", ScriptedWorker);
    return answers;
  }

  test("is solved in the background with a status text, and the form is resent automatically", async () => {
    const workers = scriptWorker();
    service().on("POST /api/login", ({ body }) =>
      "proof" in (body as object)
        ? refused("credentials_wrong", "The email address or password is wrong.")
        : refused("challenge_required", "Show that you are no robot.", { challenge }),
    );
    const person = await openSignIn();
    await person.type(email(), "grace@example.com");
    await person.type(password(), "not the password{Enter}");
    expect(await screen.findByText(CHECKING)).toBeVisible();
    expect(screen.getByText(CHECKING).closest("[role=status]")).not.toBeNull();
    workers[0]?.solve();
    expect(await screen.findByRole("alert")).toHaveTextContent("The email address or password is wrong.");
    expect(screen.queryByText(CHECKING)).toBeNull();
    expect(password()).toHaveValue("not the password");
    expect(service().bodies("POST /api/login")).toMatchObject([{}, { proof: { token: "t", counters } }]);
  });

  test("shows an error if this browser cannot solve it, and can be retried", async () => {
    const workers = scriptWorker();
    service().on("POST /api/login", refused("challenge_required", "Show that you are no robot.", { challenge }));
    const person = await openSignIn();
    await person.type(email(), "grace@example.com");
    await person.type(password(), "not the password{Enter}");
    await screen.findByText(CHECKING);
    workers[0]?.fail();
    expect(await screen.findByRole("alert")).toHaveTextContent("The robot check failed. Try again.");
    expect(signInButton()).not.toHaveAttribute("aria-busy");
  });
});

test.each([
  ["password_changed", "You were signed out because your password was changed."],
  [undefined, "You were signed out. Please sign in again."],
] as const)("a session that ended (%s) says why, once", async (session_ended, words) => {
  service().on(
    "GET /api/user",
    refused("unauthenticated", "Sign in again.", session_ended === undefined ? {} : { session_ended }),
  );
  const person = await openApp("/account");
  expect(await screen.findByText(words)).toBeVisible();
  expect(window.location.pathname).toBe("/login");
  await person.click(screen.getByRole("link", { name: "Sign up" }));
  await person.click(await screen.findByRole("link", { name: "Sign in" }));
  await screen.findByRole("button", { name: "Sign In" });
  expect(screen.queryByText(words)).toBeNull();
});

test("a call that ended with its session is named", async () => {
  service().on("GET /api/user", refused("unauthenticated", "Sign in again.", { session_ended: "signed_out" }));
  setCallLive(true);
  setCallLive(false);
  await openApp("/account");
  expect(await screen.findByText("You were signed out from another device.")).toBeVisible();
  expect(screen.getByText("The call on this device ended with it.")).toBeVisible();
});
