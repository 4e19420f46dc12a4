import { expect, type Browser, type Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { test } from "../support/test.ts";
import { addAuthenticator, enterPassword, logOut, PASSWORD, signUp, skipTutorial } from "../support/customer.ts";
import { codeMailedTo, linkMailedTo, signUpConfirmed, useLinkMailedTo } from "../support/mailbox.ts";

const OTHER_PASSWORD = "another long phrase 4711";
const BAD_LINK = "This link no longer works. Ask for a new one.";

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/login");
  await enterPassword(page, email, password);
  await expect(page).toHaveURL(/\/dialer$/);
}

/** The same customer in another browser. */
async function onAnotherDevice(browser: Browser, email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, email);
  return page;
}

test("a new customer confirms the address by mail, and the link's token leaves the address bar", async ({ page }) => {
  const email = await signUp(page);
  await page.goto("/history");
  await expect(page.getByRole("heading", { name: "Confirm your email" })).toBeVisible();
  const link = await linkMailedTo(email, "Confirm your email address");
  await page.goto(link);
  await expect(page.getByText("Is this email address yours?")).toBeVisible();
  await page.reload();
  await page.goto("/history");
  await expect(page.getByRole("heading", { name: "Confirm your email" })).toBeVisible();
  await page.goto(link);
  await page.getByRole("button", { name: "Confirm my address" }).click();
  await expect(page.getByRole("heading", { name: "Email confirmed" })).toBeVisible();
  await expect(page.getByText(/^Your first call is free, up to \$/)).toBeVisible();
  await expect(page).toHaveURL(/\/verify-email$/);
  await page.getByRole("link", { name: "Go to the dialer" }).click();
  await page.goto("/account");
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
  await page.goto("/history");
  await expect(page.getByRole("heading", { name: "Call History" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Confirm your email" })).toHaveCount(0);
});

test("a new customer signs up by the form, confirms the address with the code, and keeps the number typed before", async ({
  page,
}) => {
  await skipTutorial(page);
  const email = `code-${process.pid}-${Date.now()}@example.com`;
  await page.goto("/");
  const pad = page.locator('[data-island="dial-pad"]');
  await expect(pad).not.toHaveAttribute("inert");
  await pad.getByLabel("Country").selectOption("GB");
  await pad.getByLabel("Phone number").fill("2079460001");
  await pad.getByRole("button", { name: "Call", exact: true }).click();
  await expect(page).toHaveURL(/\/register$/);
  await page.getByLabel("Full Name").fill("Grace Mensah");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create Account" }).click();
  const field = page.getByLabel("Code from the email");
  await expect(field).toBeFocused();
  const code = await codeMailedTo(email);
  await field.fill(code === "000000" ? "000001" : "000000");
  await expect(page.getByText("This code is wrong. Attempts left: 4.")).toBeVisible();
  await field.fill(code);
  await expect(page).toHaveURL(/\/dialer$/);
  await expect(page.getByLabel("Phone number")).toHaveValue(/20.?7946.?0001$/);
  await page.goto("/account");
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
});

test("newsletter subscription and unsubscription work by links in mails", async ({ page, request }) => {
  const email = `reader-${Date.now()}@example.com`;
  expect((await request.post("/api/newsletter", { data: { email } })).ok()).toBe(true);
  await useLinkMailedTo(page, email, { subject: "Confirm your rate updates", button: "Send me rate updates" });
  await expect(page.getByRole("heading", { name: "You’re subscribed" })).toBeVisible();
  await useLinkMailedTo(page, email, { subject: "You will get our rate updates", button: "Unsubscribe" });
  await expect(page.getByRole("heading", { name: "You’re unsubscribed" })).toBeVisible();
});

test("a forgotten password is reset by mail, once, and ends every session", async ({ page, browser }) => {
  const email = await signUp(page);
  const other = await onAnotherDevice(browser, email);
  await logOut(page);
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect(page.getByRole("heading", { name: "Set a new password" })).toBeVisible();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
  const link = await linkMailedTo(email, "Choose a new password");
  await page.goto(link);
  await expect(page).toHaveURL(/\/reset-password$/);
  await page.getByLabel("New Password", { exact: true }).fill("password");
  await page.getByLabel("Confirm Password").fill("password");
  await page.getByRole("button", { name: "Save the password" }).click();
  await expect(page.getByLabel("New Password", { exact: true })).toBeFocused();
  await page.getByLabel("New Password", { exact: true }).fill(OTHER_PASSWORD);
  await page.getByLabel("Confirm Password").fill(OTHER_PASSWORD);
  await page.getByRole("button", { name: "Save the password" }).click();
  await expect(page.getByRole("heading", { name: "Password changed" })).toBeVisible();
  await other.reload();
  await expect(other).toHaveURL(/\/login$/);
  await signIn(page, email, OTHER_PASSWORD);
  await page.goto(link);
  await expect(page.getByText(BAD_LINK)).toBeVisible();
  await other.context().close();
});

test("the address changes once both mailboxes have confirmed", async ({ page }) => {
  const email = await signUpConfirmed(page);
  const wanted = `new-${email}`;
  await page.goto("/account");
  await page.getByRole("button", { name: "Change email" }).click();
  await page.getByLabel("New email").fill(wanted);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByText(`We have sent an email to ${wanted} and one to ${email}. Open the link in both.`)).toBeVisible();
  await useLinkMailedTo(page, wanted, { subject: "Confirm your new email address", button: "Confirm the change" });
  await expect(page.getByRole("heading", { name: "One more email" })).toBeVisible();
  await useLinkMailedTo(page, email, { subject: "Confirm your email change", button: "Confirm the change" });
  await expect(page.getByRole("heading", { name: "Email changed" })).toBeVisible();
  await page.goto("/account");
  await expect(page.getByText(wanted)).toBeVisible();
});

test("sign-in requires the authenticator app, and a recovery code replaces it once", async ({ page }) => {
  const email = await signUp(page);
  await page.goto("/account");
  await page.getByRole("button", { name: "Set up an app" }).click();
  await expect(page.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible();
  const secret = (await page.locator("code").first().innerText()).replaceAll(/\s/g, "");
  const app = new TOTP({ secret });
  const field = page.getByLabel("Code from the app");
  await expect(field).toBeFocused();
  await field.fill("000000");
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByText("This code is wrong. Enter the one that your app shows now.")).toBeVisible();
  await field.fill(app.generate());
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("heading", { name: "Your recovery codes" })).toBeFocused();
  const codes = await page.locator("li code").allInnerTexts();
  expect(new Set(codes).size).toBe(10);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("farline-recovery-codes.txt");
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  await expect(page.getByText("10 recovery codes left.")).toBeVisible();

  await logOut(page);
  await page.goto("/login");
  await enterPassword(page, email);
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  const code = page.getByLabel("Code", { exact: true });
  await expect(code).toBeFocused();
  await code.fill("000000");
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page.getByText("This code is wrong. Enter the one that your app shows now.")).toBeVisible();
  await expect(code).toBeFocused();
  // Setup used up the current code; the app's clock may be one step ahead.
  await code.fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dialer$/);

  const recover = async (recovery: string) => {
    await page.goto("/login");
    await enterPassword(page, email);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(recovery);
    await page.getByRole("button", { name: "Sign In", exact: true }).click();
  };
  const [first = "", second = ""] = codes;
  await logOut(page);
  await recover(first);
  await expect(page).toHaveURL(/\/dialer$/);
  await logOut(page);
  await recover(first);
  await expect(page.getByText("This code is wrong.")).toBeVisible();
  await recover(second);
  await expect(page).toHaveURL(/\/dialer$/);
});

test("a passkey is created, signs in alone, and does not work once it is removed", async ({ page }) => {
  await addAuthenticator(page);
  await signUp(page);
  await page.goto("/account");
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("My laptop");
  await passkeys.getByRole("button", { name: "Continue" }).click();
  await expect(passkeys.getByRole("listitem")).toContainText("My laptop");
  // This authenticator already has a passkey for the account.
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("Twice");
  await passkeys.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("This device already has a passkey for your account.")).toBeVisible();

  await logOut(page);
  await page.goto("/login");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL(/\/dialer$/);
  await page.goto("/account");
  await passkeys.getByRole("button", { name: "Remove My laptop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(passkeys.getByRole("listitem")).toHaveCount(0);
  await logOut(page);
  await page.goto("/login");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
});
