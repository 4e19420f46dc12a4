import { expect, test, type Locator, type Page } from "@playwright/test";
import { newestCall } from "../support/books.ts";
import { giveTestCredit, PASSWORD, signUp, skipTutorial } from "../support/customer.ts";
import { codeMailedTo, linkMailedTo } from "../support/mailbox.ts";
import { BALANCE, CALL_NOW, HANG_UP } from "../support/parts.ts";
import { TONE_LINE } from "../support/phone-network.ts";
import { backToPad } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

/** A hand on a phone: counts its taps, and types only into the field that has the focus. */
function hand(page: Page) {
  const counted = { taps: 0 };
  const tap = async (where: Locator): Promise<void> => {
    await where.click();
    counted.taps += 1;
  };
  const type = async (field: Locator, text: string): Promise<void> => {
    await field.waitFor();
    if (!(await field.evaluate((element) => element === document.activeElement))) await tap(field);
    await page.keyboard.type(text);
  };
  return { counted, tap, type };
}

/** Types a number on the landing page and signs up for its call, up to the code. */
async function signUpForCall(page: Page) {
  const fingers = hand(page);
  const { tap, type } = fingers;
  const email = `taps-${process.pid}-${Date.now()}@example.com`;
  await page.goto("/");
  const pad = page.locator('[data-island="dial-pad"]');
  await expect(pad).not.toHaveAttribute("inert");
  await type(pad.getByLabel("Phone number"), TONE_LINE);
  await tap(pad.getByRole("button", { name: "Call", exact: true }));
  await type(page.getByLabel("Full Name"), "Grace Mensah");
  await type(page.getByLabel("Email"), email);
  await type(page.getByLabel("Password", { exact: true }), PASSWORD);
  await type(page.getByLabel("Confirm Password"), PASSWORD);
  await tap(page.getByRole("button", { name: "Create Account" }));
  return { ...fingers, email };
}

/** Presses Call Now for the number that is in the field, and waits until it rings or is answered. */
async function callKeptNumber(page: Page, tap: (where: Locator) => Promise<void>): Promise<void> {
  await expect(page.getByLabel("Phone number")).toHaveValue(/20.?7946.?0001$/);
  await tap(page.locator(CALL_NOW));
  await expect(page.getByText(/^(Ringing\.\.\.|Connected)$/)).toBeVisible();
}

test.use({ viewport: { width: 390, height: 844 } });

test("from the first visit to the first ringing it takes at most nine taps, and the number is typed once", async ({ page }) => {
  const { counted, tap, type, email } = await signUpForCall(page);
  await type(page.getByLabel("Code from the email"), await codeMailedTo(email));
  await expect(page).toHaveURL(/\/dialer$/);
  const first = page.getByRole("dialog", { name: "Your first call is free" });
  await tap(first.getByRole("button", { name: "Skip" }));
  await callKeptNumber(page, tap);
  expect(counted.taps).toBeLessThanOrEqual(9);
  await page.locator(HANG_UP).click();
  await poll(async () => (await newestCall(email)).status).not.toBe("in-progress");
});

test("the tab that the mail's link opens has the number too, and so has the first one", async ({ page, context }) => {
  await skipTutorial(page);
  const { tap, email } = await signUpForCall(page);
  const other = await context.newPage();
  await other.goto(await linkMailedTo(email, "Confirm your email address"));
  await other.getByRole("button", { name: "Confirm my address" }).click();
  await other.getByRole("link", { name: "Go to the dialer" }).click();
  await expect(other.getByLabel("Phone number")).toHaveValue(/20.?7946.?0001$/);
  await page.bringToFront();
  await expect(page).toHaveURL(/\/dialer$/);
  // The credit of the first call follows the confirmation within a second.
  await expect(page.locator(BALANCE)).toContainText("$0.25");
  await callKeptNumber(page, tap);
  await page.locator(HANG_UP).click();
});

test("a returning caller calls with one tap", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  const { counted, tap } = hand(page);
  await page.getByLabel("Phone number").fill(TONE_LINE);
  await page.locator(CALL_NOW).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await page.locator(HANG_UP).click();
  await backToPad(page);
  await page.goto("/dialer");
  await tap(page.getByRole("button", { name: /^Call .* again/ }).first());
  await expect(page.getByText(/^(Ringing\.\.\.|Connected)$/)).toBeVisible();
  expect(counted.taps).toBe(1);
  await page.locator(HANG_UP).click();
  await poll(async () => (await newestCall(email)).status).toBe("completed");
});
