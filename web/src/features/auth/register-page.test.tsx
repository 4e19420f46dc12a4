import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { aConfig, aUser } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { queryClient } from "../../service/query-client.ts";
import { getToken } from "../../session/session.ts";

const service = withFakeService();

test("signing up sends the language of the page and leads to the dialer", async () => {
  service().on("POST /api/register", { token: "fresh-token", user: aUser({ language: "fr" }) });
  const person = await openApp("/register", { signedIn: false, language: "fr" });
  expect(await screen.findByRole("heading", { name: "Créez votre compte" })).toBeVisible();
  await person.type(screen.getByLabelText("Nom complet"), "Grace Mensah");
  await person.type(screen.getByLabelText("E-mail"), "grace@example.com");
  const [password, again] = screen.getAllByLabelText(/mot de passe/i, { selector: "input" });
  await person.type(password as HTMLElement, "a long enough phrase 42");
  await person.type(again as HTMLElement, "a long enough phrase 42{Enter}");
  await waitFor(() => expect(getToken()).toBe("fresh-token"));
  await waitFor(() => expect(window.location.pathname).toBe("/dialer"));
  expect(service().asked("POST /api/register")[0]?.body).toMatchObject({ name: "Grace Mensah", language: "fr" });
});

test.each([
  {
    language: "en",
    terms: "Terms",
    privacy: "Privacy Policy",
    sentence: "By signing up you agree to the Terms and Privacy Policy.",
  },
  { language: "ar", terms: "الشروط", privacy: "سياسة الخصوصية", sentence: "بإنشاء حساب توافق على الشروط وسياسة الخصوصية." },
] as const)(
  "in $language, signing up links to the terms and the privacy page inside one sentence",
  async ({ language, terms, privacy, sentence }) => {
    await openApp("/register", { signedIn: false, language });
    const link = await screen.findByRole("link", { name: terms });
    expect(link).toHaveAttribute("href", "/terms");
    expect(screen.getByRole("link", { name: privacy })).toHaveAttribute("href", "/privacy");
    expect(link.closest("p")).toHaveTextContent(sentence);
  },
);

test("the service's message appears at its field, which gets the focus and keeps the typed text", async () => {
  service().judgesForms = true;
  const texts = { password_confirmation: ["The two passwords are not the same."] };
  service().on("POST /api/register", refused("validation_failed", "The two passwords are not the same.", { errors: texts }));
  const person = await openApp("/register", { signedIn: false });
  await person.type(screen.getByLabelText("Full Name"), "Grace Mensah");
  await person.type(screen.getByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42");
  await person.type(screen.getByLabelText("Confirm Password"), "something else 99");
  await person.click(screen.getByRole("button", { name: "Create Account" }));
  const again = screen.getByLabelText("Confirm Password");
  await waitFor(() => expect(again).toHaveAccessibleDescription("The two passwords are not the same."));
  expect(again).toHaveFocus();
  expect(again).toBeInvalid();
  expect(screen.getByLabelText("Full Name")).toHaveValue("Grace Mensah");
  // Field errors are not repeated above the form.
  expect(screen.queryByRole("alert")).toBeNull();

  const wrongEmail = "Enter an email address like name@example.com.";
  service().on("POST /api/register", refused("validation_failed", wrongEmail, { errors: { email: [wrongEmail] } }));
  await person.click(screen.getByRole("button", { name: "Create Account" }));
  await waitFor(() => expect(screen.getByLabelText("Email")).toHaveAccessibleDescription(wrongEmail));
  expect(screen.getByLabelText("Email")).toHaveFocus();
});

test("an address that has an account is refused in the reader's language", async () => {
  service().on(
    "POST /api/register",
    refused("email_taken", "There is an account with this email address already. Sign in instead.", {
      errors: { email: ["…"] },
      reasons: { email: { reason: "email_taken" } },
    }),
  );
  const person = await openApp("/register", { signedIn: false, language: "es" });
  await person.type(screen.getByLabelText("Nombre completo"), "Grace Mensah");
  await person.type(screen.getByLabelText("Correo electrónico"), "grace@example.com");
  await person.type(screen.getByLabelText("Contraseña"), "a long enough phrase 42");
  await person.type(screen.getByLabelText("Repite la contraseña"), "a long enough phrase 42");
  await person.click(screen.getByRole("button", { name: "Crear cuenta" }));
  expect(await screen.findByText("Ya hay una cuenta con este correo. Inicia sesión.")).toBeVisible();
});

test("a password can be shown and hidden, and is never autocorrected", async () => {
  const person = await openApp("/register", { signedIn: false });
  const password = screen.getByLabelText("Password");
  expect(password).toHaveAttribute("type", "password");
  expect(password).toHaveAttribute("autocomplete", "new-password");
  const [show] = screen.getAllByRole("button", { name: "Show password" });
  await person.click(show as HTMLElement);
  expect(password).toHaveAttribute("type", "text");
  expect(show).toHaveAttribute("aria-pressed", "true");
});

test("an invitation shows its bonus and is claimed after sign-up", async () => {
  service().on("GET /api/config", aConfig({ referral: { bonus: "2.00", min_top_up: "10.00" } }));
  service().on("POST /api/register", { token: "fresh-token", user: aUser() });
  service().on("POST /api/referral/claim", { accepted: true, bonus: "2.00" });
  const person = await openApp("/register?ref=ABCD1234", { signedIn: false });
  expect(await screen.findByText(/A friend invited you\..*\$2\.00/)).toBeVisible();
  await person.type(screen.getByLabelText("Full Name"), "Ama");
  await person.type(screen.getByLabelText("Email"), "ama@example.com");
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42");
  await person.type(screen.getByLabelText("Confirm Password"), "a long enough phrase 42{Enter}");
  await waitFor(() => expect(service().asked("POST /api/referral/claim")[0]?.body).toEqual({ code: "ABCD1234" }));
  await waitFor(() => expect(localStorage.getItem("invited-by")).toBeNull());
});

test("a signed-in user is redirected to the dialer", async () => {
  await openApp("/register");
  expect(window.location.pathname).toBe("/dialer");
});

test("an account that was created is not reported as failed because code after the request fails", async () => {
  const reported = vi.fn<typeof reportError>();
  vi.stubGlobal("reportError", reported);
  vi.spyOn(queryClient, "setQueryData").mockImplementationOnce(() => {
    throw new TypeError("Map.groupBy is not a function");
  });
  service().on("POST /api/register", { token: "fresh-token", user: aUser() });
  const person = await openApp("/register", { signedIn: false });
  await person.type(screen.getByLabelText("Full Name"), "Grace Mensah");
  await person.type(screen.getByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42");
  await person.type(screen.getByLabelText("Confirm Password"), "a long enough phrase 42{Enter}");
  await waitFor(() => expect(reported).toHaveBeenCalledWith(expect.any(TypeError)));
  expect(screen.queryByText(/Registration failed/)).toBeNull();
  expect(getToken()).toBe("fresh-token");
});
