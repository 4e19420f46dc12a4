import { randomUUID } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { completedCall, newestCall } from "../support/books.ts";
import { giveTestCredit, PASSWORD, payAndKeep, sessionHeaders, signUp, skipTutorial } from "../support/customer.ts";
import { codeMailedTo, linkMailedTo } from "../support/mailbox.ts";
import { BALANCE, CALL_NOW, HANG_UP } from "../support/parts.ts";
import { TONE_LINE } from "../support/phone-network.ts";
import { backToPad } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

/** Rings and answers. Expensive enough that credit, and not the longest call, limits a call on $5. */
const ACCRA = "+233200000142";

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
  await completedCall(email);
});

/** Pays by card and keeps the card; ends with the credit booked. */
async function payAndReceive(page: Page, dollars: number): Promise<void> {
  await payAndKeep(page, dollars);
  await expect(page.getByRole("heading", { name: "Payment Successful" })).toBeVisible();
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
}

test("in a call the kept card pays with one press after the sheet is opened", async ({ page }) => {
  const email = await signUp(page);
  await payAndReceive(page, 5);
  await page.goto("/dialer");
  await page.getByLabel("Phone number").fill(ACCRA);
  await page.locator(CALL_NOW).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  const { counted, tap } = hand(page);
  await tap(page.getByRole("button", { name: "Top up during the call" }));
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByLabel("Add credit")).toHaveValue(/.+/);
  await tap(sheet.getByRole("button", { name: /^Pay \$5 / }));
  await expect(page.getByText(/^Your call can continue for \d+ min more\.$/)).toHaveCount(1);
  await expect(sheet.getByText(/^Your call can continue for \d+ min more\.$/)).toBeVisible();
  expect(counted.taps).toBe(2);
  await sheet.getByRole("button", { name: "Hang Up" }).click();
  await completedCall(email);
});

test("from the balance an old receipt is at most two taps away", async ({ page }) => {
  await signUp(page);
  await payAndReceive(page, 12);
  const headers = await sessionHeaders(page);
  const read = async (path: string) => (await page.request.get(path, { headers })).json();
  const [card] = (await read("/api/billing/auto-top-up")).cards;
  // More than the page lists at first.
  for (let paid = 0; paid < 5; paid += 1) {
    const data = { amount: "5", card_id: card.id };
    const key = { "idempotency-key": randomUUID() };
    expect((await page.request.post("/api/billing/top-up", { data, headers: { ...headers, ...key } })).status()).toBe(200);
  }
  await expect.poll(async () => (await read("/api/billing/receipts?limit=10")).receipts.data.length).toBe(6);
  await page.goto("/billing");
  const { counted, tap } = hand(page);
  const receipts = page.getByRole("region", { name: "Receipts" });
  await expect(receipts.getByRole("link")).toHaveCount(5);
  await tap(receipts.getByRole("button", { name: "Show more" }));
  await tap(receipts.getByRole("link", { name: /\$12\.00/ }));
  await expect(page).toHaveURL(/\/billing\/receipts\//);
  await expect(page.getByText("$12.00").first()).toBeVisible();
  expect(counted.taps).toBeLessThanOrEqual(2);
});
