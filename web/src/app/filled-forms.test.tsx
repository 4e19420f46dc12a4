import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { refused } from "../../test/fake-service.ts";
import { expectAutofillNamed } from "../../test/autofill.ts";
import { openApp, withFakeService } from "../../test/open-app.tsx";
import type { EndpointName } from "@farline/contract/api/api.ts";

/** Password managers and autofill may fill fields without events: forms must send the fields' actual values. */

const service = withFakeService();
afterEach(() => {
  service().faults.length = 0;
});

interface FilledForm {
  readonly path: string;
  readonly visitor?: true;
  /** What opens the form. */
  readonly open?: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly submit: string;
  readonly route: EndpointName;
  readonly sent: object;
}

const password = "a long enough phrase 42";
const forms: readonly FilledForm[] = [
  {
    path: "/login",
    visitor: true,
    fields: { Email: "grace@example.com", Password: password },
    submit: "Sign In",
    route: "POST /api/login",
    sent: { email: "grace@example.com", password },
  },
  {
    path: "/register",
    visitor: true,
    fields: { "Full Name": "Grace", Email: "grace@example.com", Password: password, "Confirm Password": password },
    submit: "Create Account",
    route: "POST /api/register",
    sent: { name: "Grace", email: "grace@example.com", password, password_confirmation: password },
  },
  {
    path: "/forgot-password",
    visitor: true,
    fields: { Email: "grace@example.com" },
    submit: "Send link",
    route: "POST /api/password/forgot",
    sent: { email: "grace@example.com" },
  },
  {
    path: `/reset-password#t=${"r".repeat(64)}`,
    visitor: true,
    fields: { "New Password": password, "Confirm Password": password },
    submit: "Save the password",
    route: "POST /api/password/reset",
    sent: { password, password_confirmation: password },
  },
  {
    path: "/cases/new",
    fields: { "What is it about?": "charge", "Your question": "Why was I charged twice?" },
    submit: "Send",
    route: "POST /api/cases",
    sent: { topic: "charge", message: "Why was I charged twice?" },
  },
  {
    path: "/topup",
    fields: { "Promo code": "WELCOME10" },
    submit: "Secure Checkout",
    route: "POST /api/billing/purchase-package",
    sent: { promo_code: "WELCOME10" },
  },
  {
    path: "/topup",
    fields: { "Or another amount": "33" },
    submit: "Secure Checkout",
    route: "POST /api/billing/top-up",
    sent: { amount: "33.00" },
  },
  {
    path: "/contacts",
    open: "Add Contact",
    fields: { "First name": "Kwame", "Phone number": "+233200000142" },
    submit: "Save",
    route: "POST /api/contacts",
    sent: { first_name: "Kwame" },
  },
];

test.each(forms)("$path sends fields that were filled without events: $fields", async (form) => {
  service().judgesForms = true;
  service().on(form.route, refused("validation_failed"));
  await openApp(form.path, { signedIn: form.visitor !== true });
  if (form.open !== undefined) fireEvent.click(await screen.findByRole("button", { name: form.open }));
  const submit = await screen.findByRole("button", { name: form.submit });
  for (const [label, value] of Object.entries(form.fields)) fieldOf(label).value = value;
  fireEvent.click(submit);
  await waitFor(() => expect(service().asked(form.route)).toHaveLength(1));
  expect(service().asked(form.route)[0]?.body).toMatchObject(form.sent);
});

const reset = `/reset-password#t=${"r".repeat(64)}`;
test.each([
  ["/login", null],
  ["/register", null],
  ["/forgot-password", null],
  [reset, null],
  ["/dialer", null],
  ["/contacts", "Add Contact"],
  ["/history", null],
  ["/topup", null],
  ["/billing", null],
  ["/cases/new", null],
  ["/account", "Change password"],
  ["/account", "Change email"],
  ["/account", "Set up an app"],
  ["/family", null],
])("on %s, after %s, browsers know what to fill in, and managers whose password it is", async (path, press) => {
  service().on("POST /api/account/authenticator", refused("reauth_required"));
  await openApp(path, { signedIn: !/^\/(login|register|forgot|reset)/.test(path) });
  if (press !== null) fireEvent.click((await screen.findAllByRole("button", { name: press }))[0] as HTMLElement);
  await waitFor(() => {
    expect(document.querySelectorAll("input, textarea").length).toBeGreaterThan(0);
    expectAutofillNamed();
  });
});

function fieldOf(label: string): HTMLInputElement {
  return screen.getByLabelText((text) => text.startsWith(label));
}
