import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { enterPassword, logOut, skipTutorial, tokenOf } from "../support/customer.ts";
import { signUpConfirmed } from "../support/mailbox.ts";

type Mailbox = "Google runs the mailbox" | "Somebody else runs the mailbox" | "The address is not verified";

/** From our sign-in page to the sandbox's page for choosing a Google account. */
async function goToGoogle(page: Page): Promise<void> {
  await page.goto("/login");
  await page.getByRole("button", { name: "Continue with Google" }).click();
  await expect(page.getByRole("heading", { name: "Sign in with Google" })).toBeVisible();
}

async function beNewPerson(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Nia Newcomer" }).click();
}

async function bePersonWith(page: Page, email: string, mailbox: Mailbox): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel(mailbox).check();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** A customer with a password and a confirmed address, signed out again. */
async function confirmedCustomer(page: Page): Promise<string> {
  const email = await signUpConfirmed(page);
  await page.goto("/dialer");
  await logOut(page);
  return email;
}

async function expectRefused(page: Page, message: string | RegExp): Promise<void> {
  await expect(page.getByRole("heading", { name: "Authentication Failed" })).toBeVisible();
  await expect(page.getByText(message)).toBeVisible();
  await expect(page).toHaveURL(/\/auth\/google\/callback$/);
  await page.getByRole("link", { name: "Return to Login" }).click();
  await expect(page).toHaveURL(/\/login$/);
}

test("a new customer signs up with Google, with a confirmed address and no password", async ({ page }) => {
  await goToGoogle(page);
  await beNewPerson(page);
  await expect(page).toHaveURL(/\/dialer$/);
  await page.goto("/account");
  await expect(page.getByText("Nia Newcomer").first()).toBeVisible();
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Set a password" })).toBeVisible();
  // Google is the only sign-in method.
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByText("This is your only way to sign in. Set a password or add a passkey first.")).toBeVisible();
});

test("a customer with a third-party mailbox must connect Google before signing in with it", async ({ page }) => {
  const email = await confirmedCustomer(page);
  await goToGoogle(page);
  await bePersonWith(page, email, "Somebody else runs the mailbox");
  await expectRefused(page, /password/);

  await enterPassword(page, email);
  await expect(page).toHaveURL(/\/dialer$/);
  await page.goto("/account");
  await page.getByRole("button", { name: "Connect Google" }).click();
  await bePersonWith(page, email, "Somebody else runs the mailbox");
  await expect(page).toHaveURL(/\/account$/);
  await expect(page.getByRole("region", { name: "Messages" }).getByText("Google connected")).toBeVisible();
  await logOut(page);
  await goToGoogle(page);
  await bePersonWith(page, email, "Somebody else runs the mailbox");
  await expect(page).toHaveURL(/\/dialer$/);
});

/** Signs in at Google but stops before the callback. Returns the callback's address. */
async function callbackAddress(page: Page): Promise<URL> {
  await goToGoogle(page);
  let answer = await page.request.post(page.url(), { form: { person: "new" }, maxRedirects: 0 });
  for (let hop = 0; hop < 5; hop++) {
    const next = new URL(answer.headers()["location"] ?? "", answer.url());
    if (next.pathname === "/auth/google/callback") return next;
    answer = await page.request.get(next.href, { maxRedirects: 0 });
  }
  throw new Error("Google did not redirect to the callback.");
}

test("a code does not work in another browser, and works only once", async ({ page, browser }) => {
  const address = await callbackAddress(page);
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(address.href);
  await expectRefused(stranger, "Failed to authenticate with Google. Please try again.");
  await stranger.context().close();
  await skipTutorial(page);
  await page.goto(address.href);
  await expect(page).toHaveURL(/\/dialer$/);
  await logOut(page);
  // For half a minute the response is repeated, but its session has ended.
  await page.goto(address.href);
  await expect(page).toHaveURL(/\/login$/);
  expect(await tokenOf(page)).toBe("");
});
