import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aConfig, anId, aUser } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { left, openApp, withFakeService } from "../../../test/open-app.tsx";
import { getToken } from "../../session/session.ts";

const service = withFakeService();

const region = (name: string) => screen.findByRole("region", { name });
const toast = (text: string) => screen.findByText(text);

describe("the password", () => {
  async function fillIn(present: string) {
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Change password" }));
    expect(screen.getByLabelText("Current password")).toHaveFocus();
    await person.keyboard(present);
    await person.type(screen.getByLabelText("New password"), "another long phrase");
    await person.type(screen.getByLabelText("Confirm new password"), "another long phrase{Enter}");
    return person;
  }

  test("changes with the current password", async () => {
    service().on("POST /api/password", undefined);
    await fillIn("right");
    expect(await toast("Password changed")).toBeVisible();
    expect(screen.queryByLabelText("Current password")).toBeNull();
    expect(service().asked("POST /api/password")[0]?.body).toEqual({
      current_password: "right",
      password: "another long phrase",
      password_confirmation: "another long phrase",
    });
  });

  test("shows an error at the field when it is wrong", async () => {
    const wrong = "Your present password is not right.";
    service().on("POST /api/password", refused("validation_failed", wrong, { errors: { current_password: [wrong] } }));
    await fillIn("wrong");
    await waitFor(() => expect(screen.getByLabelText("Current password")).toHaveAccessibleDescription(wrong));
    expect(screen.getByLabelText("Current password")).toHaveFocus();
  });

  test("can be set for an account without a password", async () => {
    service().on("GET /api/user", { user: aUser({ has_password: false }) });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Set a password" }));
    expect(screen.queryByLabelText("Current password")).toBeNull();
    expect(screen.getByLabelText("New password")).toHaveFocus();
  });
});

describe("re-authentication", () => {
  const setup = { secret: "AAAA BBBB", uri: "otpauth://totp/Farline", qr: { size: 29, path: "M0 0h1v1z" } };

  test("is required before sensitive actions; a wrong password keeps the dialog open, the right one continues", async () => {
    let proved = false;
    service().on("POST /api/account/authenticator", () => (proved ? setup : refused("reauth_required", "Enter your password.")));
    const wrong = "Your present password is not right.";
    service().on("POST /api/reauthenticate", ({ body }) => {
      proved = (body as { current_password: string }).current_password === "right";
      return proved ? undefined : refused("validation_failed", wrong, { errors: { current_password: [wrong] } });
    });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Set up an app" }));
    const dialog = await screen.findByRole("dialog", { name: "Confirm it’s you" });
    const password = within(dialog).getByLabelText("Current password");
    await person.type(password, "wrong{Enter}");
    await waitFor(() => expect(password).toHaveAccessibleDescription(wrong));
    await person.clear(password);
    await person.type(password, "right{Enter}");
    expect(await screen.findByLabelText("Code from the app")).toHaveFocus();
    expect(screen.queryByRole("dialog", { name: "Confirm it’s you" })).toBeNull();
  });

  test("can be cancelled without any change or message", async () => {
    service().on("POST /api/account/authenticator", refused("reauth_required", "Enter your password."));
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Set up an app" }));
    const dialog = await screen.findByRole("dialog", { name: "Confirm it’s you" });
    await person.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.queryByRole("alert")).toBeNull();
    expect(service().asked("POST /api/account/authenticator")).toHaveLength(1);
  });

  test("also requires a code when two-factor sign-in is on", async () => {
    service().on("GET /api/account/sign-in-methods", {
      password: true,
      google: null,
      authenticator: { since: "2026-05-01T00:00:00.000Z", recovery_codes_left: 10 },
      passkeys: [],
    });
    service().on("POST /api/account/authenticator/recovery-codes", refused("reauth_required", "Enter your password."));
    service().on("POST /api/reauthenticate", undefined);
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "New recovery codes" }));
    const dialog = await screen.findByRole("dialog", { name: "Confirm it’s you" });
    await person.type(within(dialog).getByLabelText("Current password"), "right");
    await person.type(await within(dialog).findByLabelText("Code from your app, or a recovery code"), "123456{Enter}");
    await waitFor(() =>
      expect(service().asked("POST /api/reauthenticate")[0]?.body).toEqual({ current_password: "right", code: "123456" }),
    );
  });
});

describe("the authenticator app", () => {
  test("is enabled by a correct code, and its recovery codes are shown once", async () => {
    service().on("POST /api/account/authenticator", {
      secret: "AAAA BBBB",
      uri: "otpauth://totp/Farline",
      qr: { size: 29, path: "M0 0h1v1z" },
    });
    const wrong = "This code is wrong. Enter the one that your app shows now.";
    service().on("POST /api/account/authenticator/confirm", refused("code_wrong", wrong, { errors: { code: [wrong] } }));
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Set up an app" }));
    expect(await screen.findByRole("img", { name: "QR code for your authenticator app" })).toBeInTheDocument();
    const code = screen.getByLabelText("Code from the app");
    await person.type(code, "000000{Enter}");
    await waitFor(() => expect(code).toHaveAccessibleDescription(wrong));

    const recovery_codes = Array.from({ length: 10 }, (_, index) => `abcde-0000${index}`);
    service().on("POST /api/account/authenticator/confirm", { recovery_codes });
    service().on("GET /api/account/sign-in-methods", {
      password: true,
      google: null,
      authenticator: { since: "2026-05-01T00:00:00.000Z", recovery_codes_left: 10 },
      passkeys: [],
    });
    await person.click(screen.getByRole("button", { name: "Turn on" }));
    expect(await screen.findByRole("heading", { name: "Your recovery codes" })).toHaveFocus();
    for (const one of recovery_codes) expect(screen.getByText(one)).toBeVisible();
    await person.click(screen.getByRole("button", { name: "I’ve saved them" }));
    expect(await screen.findByText("10 recovery codes left.")).toBeVisible();
    expect(screen.queryByText("abcde-00000")).toBeNull();
  });
});

describe("passkeys", () => {
  test("an unsupported browser shows an error in the form; a name is required", async () => {
    Object.assign(window, { PublicKeyCredential: vi.fn() });
    service().on("POST /api/account/passkeys/options", {
      options: { challenge: "AA", user: { id: "AA" }, rp: {}, pubKeyCredParams: [] },
    });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Add a passkey" }));
    const name = screen.getByLabelText("Name of the passkey");
    expect(name).toHaveFocus();
    await person.keyboard("{Enter}");
    await waitFor(() => expect(name).toHaveAccessibleDescription(/Enter a name for this passkey\./));
    await person.type(name, "My laptop{Enter}");
    expect(await screen.findByText("This device couldn’t create a passkey. Try another device.")).toBeVisible();
    Reflect.deleteProperty(window, "PublicKeyCredential");
  });

  test("one is removed by id after confirmation", async () => {
    const passkey = { id: anId(), name: "My laptop", synced: false, created_at: "2026-05-01T00:00:00.000Z", last_used_at: null };
    service().on("GET /api/account/sign-in-methods", { password: true, google: null, authenticator: null, passkeys: [passkey] });
    service().on("DELETE /api/account/passkeys/:id", undefined);
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Remove My laptop" }));
    const dialog = screen.getByRole("dialog", { name: "Remove “My laptop”?" });
    await person.click(within(dialog).getByRole("button", { name: "Remove" }));
    expect(await toast("Passkey removed")).toBeVisible();
    expect(service().ids("DELETE /api/account/passkeys/:id")).toEqual([passkey.id]);
  });
});

describe("Google", () => {
  const linked = {
    password: false,
    google: { email: "nia@gmail.com", linked_at: "2026-05-01T00:00:00.000Z" },
    authenticator: null,
    passkeys: [],
  };

  test("cannot be removed as the only sign-in method, and shows why", async () => {
    const why = "This is your only way to sign in. Set a password or add a passkey first.";
    service().on("GET /api/account/sign-in-methods", linked);
    service().on("DELETE /api/account/google", refused("last_sign_in_method", why));
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Disconnect" }));
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Disconnect" }));
    expect(await screen.findByText(why)).toBeVisible();
  });

  test("is connected on Google's page, to which the browser is redirected", async () => {
    service().on("POST /api/account/google/link", { url: "https://accounts.google.com/link" });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Connect Google" }));
    await waitFor(() => expect(left).toHaveBeenCalledWith("https://accounts.google.com/link"));
  });

  test("is connected when the browser returns, and the account page says so", async () => {
    service().on("POST /api/account/google/callback", undefined);
    await openApp("/account/google/callback?code=link-1&state=s");
    expect(await toast("Google connected")).toBeVisible();
    expect(window.location.pathname).toBe("/account");
  });

  test("is hidden when not configured", async () => {
    service().on("GET /api/config", aConfig({ google: false }));
    await openApp("/account");
    await region("Passkeys");
    expect(screen.queryByRole("region", { name: "Google" })).toBeNull();
  });
});

describe("the devices", () => {
  const device = (device: string, current: boolean, in_call = false) => ({
    id: anId(),
    device,
    network: "203.0.113.x",
    current,
    in_call,
    signed_in_at: "2026-05-01T00:00:00.000Z",
    last_seen_at: "2026-05-02T00:00:00.000Z",
  });
  const here = device("Chrome on Linux", true);
  const there = device("Safari on iPhone", false);

  test("can be reloaded after an error", async () => {
    service().on("GET /api/sessions", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/account");
    const card = await region("Signed-in devices");
    expect(await within(card).findByText("Your devices could not be loaded")).toBeVisible();
    service().on("GET /api/sessions", { sessions: [here] });
    await person.click(within(card).getByRole("button", { name: "Try again" }));
    expect(await within(card).findByText("Chrome on Linux")).toBeVisible();
    expect(within(card).queryByRole("button", { name: "Sign out other devices" })).toBeNull();
  });

  test("and the activity name each device in the page's language", async () => {
    service().on("GET /api/sessions", { sessions: [here, device("Unknown device", false)] });
    const past = (kind: "signed_in" | "device_signed_out", device: string, subject: string | null) => ({
      ...{ id: anId(), kind, at: "2026-03-01T12:00:00.000Z", device, network: null, subject },
    });
    const events = [past("signed_in", "Edge on Windows", null), past("device_signed_out", "iPad", "Safari on Mac")];
    service().on("GET /api/account/activity", { activity: { data: events, next_cursor: null } });
    await openApp("/account", { language: "fr" });
    for (const name of ["Chrome sur Linux", "Appareil inconnu", "Edge sur Windows", "Safari sur Mac", "iPad"])
      expect(await screen.findByText(name)).toBeVisible();
    expect(screen.getByRole("button", { name: "Déconnecter Appareil inconnu" })).toBeVisible();
  });

  test("one is signed out by its own id; the one in use has no such button", async () => {
    let sessions = [here, there];
    service().on("GET /api/sessions", () => ({ sessions }));
    service().on("DELETE /api/sessions/:id", () => {
      sessions = [here];
      return undefined;
    });
    const person = await openApp("/account");
    const card = await region("Signed-in devices");
    expect(await within(card).findAllByRole("listitem")).toHaveLength(2);
    expect(within(card).queryByRole("button", { name: "Sign out Chrome on Linux" })).toBeNull();
    await person.click(within(card).getByRole("button", { name: "Sign out Safari on iPhone" }));
    expect(await toast("Device signed out")).toBeVisible();
    await waitFor(() => expect(within(card).getAllByRole("listitem")).toHaveLength(1));
    expect(service().ids("DELETE /api/sessions/:id")).toEqual([there.id]);
  });

  test("a call that ends with a device is named before the device, the password or a sign-in method goes", async () => {
    service().on("GET /api/sessions", { sessions: [here, device("Safari on iPhone", false, true)] });
    const person = await openApp("/account");
    const card = await region("Signed-in devices");
    expect(await within(card).findByText(/A call is running on this device; it ends when/)).toBeVisible();
    await person.click(screen.getByRole("button", { name: /password/i }));
    expect(await screen.findByText("A call is running on Safari on iPhone. It will end.")).toBeVisible();
  });

  test("others are signed out while this one stays", async () => {
    service().on("GET /api/sessions", { sessions: [here, there] });
    service().on("DELETE /api/sessions", undefined);
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Sign out other devices" }));
    expect(await toast("Other devices signed out")).toBeVisible();
    expect(service().asked("DELETE /api/sessions")[0]?.query).toEqual({ keep_current: "true" });
    expect(getToken()).not.toBeNull();
  });

  test("all are signed out, including this one", async () => {
    service().on("GET /api/sessions", { sessions: [here, there] });
    service().on("DELETE /api/sessions", undefined);
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Sign out everywhere" }));
    await waitFor(() => expect(window.location.pathname).toBe("/login"));
    expect(service().asked("DELETE /api/sessions")[0]?.query).toEqual({});
  });
});

describe("the recent activity", () => {
  const event = (kind: "sign_in_failed" | "signed_in", subject: string | null = null) => ({
    id: anId(),
    kind,
    at: "2026-05-18T09:00:00.000Z",
    device: "Chrome on Linux",
    network: "203.0.113.x",
    subject,
  });

  test("can be reloaded after an error, and loads twenty at a time", async () => {
    service().on("GET /api/account/activity", refused("malformed_request", "no"));
    const person = await openApp("/account");
    const card = await region("Recent activity");
    expect(await within(card).findByText("We could not load the recent activity.")).toBeVisible();
    service().on("GET /api/account/activity", ({ query }) =>
      query["cursor"] === undefined
        ? { activity: { data: Array.from({ length: 20 }, () => event("sign_in_failed")), next_cursor: "more/20" } }
        : { activity: { data: [event("signed_in", "My laptop")], next_cursor: null } },
    );
    await person.click(within(card).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(within(card).getAllByRole("listitem")).toHaveLength(20));
    const [first] = within(card).getAllByRole("listitem");
    expect(first).toHaveTextContent(/Wrong password at a sign-in.*Chrome on Linux · .?203\.0\.113\.x/);
    await person.click(within(card).getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(within(card).getAllByRole("listitem")).toHaveLength(21));
    expect(within(card).getByText("My laptop")).toBeVisible();
    expect(within(card).queryByRole("button", { name: "Show more" })).toBeNull();
    expect(service().asked("GET /api/account/activity").at(-1)?.query).toEqual({ cursor: "more/20" });
  });

  test("shows an empty state", async () => {
    await openApp("/account");
    expect(await screen.findByText("Nothing has happened in the last 90 days.")).toBeVisible();
  });
});

describe("an invitation", () => {
  function invite() {
    service().on("GET /api/config", aConfig({ referral: { bonus: "2.00", min_top_up: "10.00" } }));
    service().on("GET /api/referral", {
      enabled: true,
      code: "ABCD",
      link: "https://farline.example/register?ref=ABCD",
      bonus: "2.00",
      min_top_up: "10.00",
      invited: 3,
      rewarded: 1,
      earned: "2.00",
    });
    return openApp("/account");
  }

  test("shows its link and results", async () => {
    await invite();
    expect(await screen.findByLabelText("Your link")).toHaveValue("https://farline.example/register?ref=ABCD");
    const card = await region("Invite a friend");
    expect(within(card).getByText("Friends joined").closest("dt, th")?.nextSibling).toHaveTextContent("3");
    expect(within(card).getByText("You earned").closest("dt, th")?.nextSibling).toHaveTextContent("$2.00");
    expect(within(card).queryByRole("button", { name: "Share" })).toBeNull();
  });

  test("opens the device's share sheet if supported; dismissing the sheet is not an error", async () => {
    const share = vi.fn(() => Promise.reject(new DOMException("closed", "AbortError")));
    Object.assign(navigator, { share });
    const person = await invite();
    await person.click(await screen.findByRole("button", { name: "Share" }));
    expect(share).toHaveBeenCalledWith({
      text: "Call phones abroad from your browser with Farline. With this link we both get $2.00 credit:",
      url: "https://farline.example/register?ref=ABCD",
    });
    expect(screen.queryByRole("alert")).toBeNull();
    Reflect.deleteProperty(navigator, "share");
  });
});
