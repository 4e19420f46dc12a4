import { expect, test, type Browser, type Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { query } from "../support/books.ts";
import { enterPassword, logOut, PASSWORD, signUp } from "../support/customer.ts";
import { linkMailedTo } from "../support/mailbox.ts";

const OTHER_PASSWORD = "another long phrase 4711";
const BAD_LINK = "This link no longer works. Ask for a new one.";

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/login");
  await enterPassword(page, email, password);
  await expect(page).toHaveURL(/\/dialer$/);
}

/** The same customer in a browser of its own. */
async function onAnotherDevice(browser: Browser, email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, email);
  return page;
}

test("a new customer confirms the address by the mail, and the link leaves nothing in the address bar", async ({ page }) => {
  const email = await signUp(page);
  await page.goto("/history");
  await expect(page.getByRole("heading", { name: "Confirm your email" })).toBeVisible();
  const link = await linkMailedTo(email, "Confirm your email address");
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Email confirmed" })).toBeVisible();
  await expect(page.getByText("Your email address is confirmed.")).toBeVisible();
  await expect(page).toHaveURL(/\/verify-email$/);
  await page.getByRole("link", { name: "Go to the dialer" }).click();
  await page.goto("/account");
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
  await page.goto("/history");
  await expect(page.getByRole("heading", { name: "Call History" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Confirm your email" })).toHaveCount(0);
});

test("the notice about the address comes after the dialer and sends the mail again", async ({ page }) => {
  const email = await signUp(page);
  const notice = page.getByRole("complementary", { name: "Confirm your email" });
  await expect(notice).toBeVisible();
  const call = await page.getByRole("button", { name: "Call Now" }).boundingBox();
  const place = await notice.boundingBox();
  expect(place?.y ?? 0).toBeGreaterThan(call?.y ?? Number.POSITIVE_INFINITY);
  await notice.getByRole("button", { name: "Send the email again" }).click();
  await expect(notice.getByText(`We have sent an email to ${email}.`)).toBeVisible();
});

test("a link that was never sent, or is opened without its token, says so and leads on", async ({ page }) => {
  for (const path of ["/verify-email", "/change-email", "/newsletter/confirm", "/newsletter/unsubscribe"]) {
    await page.goto(`${path}#t=${"x".repeat(64)}`);
    await expect(page.getByText(BAD_LINK)).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await page.goto("/login");
    await page.goto(path);
    await expect(page.getByText("Open the link in our email again.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Sign In" })).toBeVisible();
  }
  await page.goto("/reset-password");
  await expect(page.getByRole("link", { name: "Get a new link" })).toBeVisible();
});

test("sign-up shows the service's text at the field, keeps what was typed and puts the focus there", async ({ page }) => {
  await page.goto("/register");
  await page.getByLabel("Full Name").fill("Grace Mensah");
  await page.getByLabel("Email").fill("grace@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm Password").fill("something else 99");
  await page.getByRole("button", { name: "Create Account" }).click();
  const again = page.getByLabel("Confirm Password");
  await expect(page.getByText("The two passwords are not the same.")).toBeVisible();
  await expect(again).toBeFocused();
  await expect(again).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Full Name")).toHaveValue("Grace Mensah");
  await again.fill(PASSWORD);
  await page.getByLabel("Email").fill("not an address");
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByText("Enter an email address like name@example.com.")).toBeVisible();
  await expect(page.getByLabel("Email")).toBeFocused();
});

test("a wrong password and an unknown address get the same answer", async ({ page }) => {
  const email = await signUp(page);
  await logOut(page);
  for (const address of [email, "nobody-at-all@example.com"]) {
    await page.goto("/login");
    await enterPassword(page, address, "not the password");
    await expect(page.getByRole("alert")).toHaveText("The email address or password is wrong.");
    await expect(page.getByLabel("Email")).toHaveValue(address);
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  }
});

test("sign-in works by keyboard alone", async ({ page }) => {
  const email = await signUp(page);
  await logOut(page);
  await page.goto("/login");
  await page.getByLabel("Email").focus();
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dialer$/);
});

test("the newsletter begins and ends by links in mails", async ({ page, request }) => {
  const email = `reader-${Date.now()}@example.com`;
  expect((await request.post("/api/newsletter", { data: { email } })).ok()).toBe(true);
  await page.goto(await linkMailedTo(email, "Confirm your rate updates"));
  await expect(page.getByRole("heading", { name: "You’re subscribed" })).toBeVisible();
  await page.goto(await linkMailedTo(email, "You will get our rate updates"));
  await expect(page.getByRole("heading", { name: "You’re unsubscribed" })).toBeVisible();
});

test("a forgotten password is set anew by mail, once, and ends every session", async ({ page, browser }) => {
  const email = await signUp(page);
  const other = await onAnotherDevice(browser, email);
  await logOut(page);
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
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
  await page.getByLabel("New Password", { exact: true }).fill(OTHER_PASSWORD);
  await page.getByLabel("Confirm Password").fill(OTHER_PASSWORD);
  await page.getByRole("button", { name: "Save the password" }).click();
  await expect(page.getByText(BAD_LINK)).toBeVisible();
  await other.context().close();
});

test("the address changes when both mailboxes agreed", async ({ page }) => {
  const email = await signUp(page);
  await page.goto(await linkMailedTo(email, "Confirm your email address"));
  await expect(page.getByRole("heading", { name: "Email confirmed" })).toBeVisible();
  const wanted = `new-${email}`;
  await page.goto("/account");
  await page.getByRole("button", { name: "Change email" }).click();
  await page.getByLabel("New email").fill(wanted);
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByText(`We have sent an email to ${wanted} and one to ${email}. Open the link in both.`)).toBeVisible();
  await page.goto(await linkMailedTo(wanted, "Confirm your new email address"));
  await expect(page.getByRole("heading", { name: "One more email" })).toBeVisible();
  await page.goto(await linkMailedTo(email, "Confirm your email change"));
  await expect(page.getByRole("heading", { name: "Email changed" })).toBeVisible();
  await page.goto("/account");
  await expect(page.getByText(wanted)).toBeVisible();
});

test("a new password wants the present one and signs out the other devices", async ({ page, browser }) => {
  const email = await signUp(page);
  const other = await onAnotherDevice(browser, email);
  await page.goto("/account");
  await page.getByRole("button", { name: "Change password" }).click();
  const present = page.getByLabel("Current password");
  await expect(present).toBeFocused();
  await present.fill("not the password");
  await page.getByLabel("New password", { exact: true }).fill(OTHER_PASSWORD);
  await page.getByLabel("Confirm new password").fill(OTHER_PASSWORD);
  await page.getByRole("button", { name: "Save the password" }).click();
  await expect(page.getByText("The current password is wrong.")).toBeVisible();
  await expect(present).toBeFocused();
  await present.fill(PASSWORD);
  await page.getByRole("button", { name: "Save the password" }).click();
  await expect(page.getByText("Password changed")).toBeVisible();
  await other.reload();
  await expect(other).toHaveURL(/\/login$/);
  await page.reload();
  await expect(page).toHaveURL(/\/account$/);
  await other.context().close();
});

test("a device that is signed out in the list is a visitor from then on", async ({ page, browser }) => {
  const email = await signUp(page);
  const other = await onAnotherDevice(browser, email);
  await page.goto("/account");
  const devices = page.getByRole("region", { name: "Signed-in devices" });
  await expect(devices.getByRole("listitem")).toHaveCount(2);
  await devices.getByRole("button", { name: /^Sign out (?!everywhere|other)/ }).click();
  await expect(page.getByText("Device signed out")).toBeVisible();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await other.goto("/history");
  await expect(other).toHaveURL(/\/login$/);
  await signIn(other, email);
  await devices.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL(/\/login$/);
  await other.reload();
  await expect(other).toHaveURL(/\/login$/);
  await other.context().close();
});

test("the authenticator app is asked for at the next sign-in, and a recovery code stands in for it once", async ({ page }) => {
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
  await expect(page.getByText("This code is not right. Enter the one that your app shows now.")).toBeVisible();
  await field.fill(app.generate());
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("heading", { name: "Your recovery codes" })).toBeFocused();
  const codes = await page.locator(".acc__codes code").allInnerTexts();
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
  await expect(page.getByText("This code is not right. Enter the one that your app shows now.")).toBeVisible();
  await expect(code).toBeFocused();
  // The code of the set-up is used up; the app's clock may be one step ahead.
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
  await expect(page.getByText("This code is not right.")).toBeVisible();
  await recover(second);
  await expect(page).toHaveURL(/\/dialer$/);
});

test("a passkey is made, signs in by itself, and opens nothing once it is removed", async ({ page }) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signUp(page);
  await page.goto("/account");
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("My laptop");
  await passkeys.getByRole("button", { name: "Continue" }).click();
  await expect(passkeys.getByRole("listitem")).toContainText("My laptop");
  // This authenticator has one for the account already.
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

test("a session that has not proved itself lately is asked for the password before anything sensitive", async ({ page }) => {
  const email = await signUp(page);
  await query(
    `update session set authenticated_at = now() - interval '11 minutes'
     where customer_id = (select id from customer where email = $1)`,
    [email],
  );
  await page.goto("/account");
  await page.getByRole("button", { name: "Set up an app" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm it’s you" });
  await dialog.getByLabel("Current password").fill("not the password");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("The current password is wrong.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Set up an app" })).toBeFocused();
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Current password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Code from the app")).toBeVisible();
});
