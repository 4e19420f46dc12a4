import { expect, test, type Page } from "@playwright/test";
import { expectToHear } from "../support/audio.ts";
import { newestCall } from "../support/books.ts";
import { dial, enterPassword, giveTestCredit, logOut, payByCard, signUp, skipTutorial, TEST_CARD } from "../support/customer.ts";
import { TONE_LINE } from "../support/phone-network.ts";

const TONE_HERTZ = 1000;

async function connected(page: Page, credit: number | string = 5): Promise<string> {
  const email = await signUp(page);
  await giveTestCredit(page, credit);
  await dial(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  return email;
}

const storedToken = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem("token"));

test("a call continues while another tab logs out and in again; then its tab adopts the new session", async ({
  page,
  context,
}) => {
  const email = await connected(page);
  const before = await storedToken(page);
  const other = await context.newPage();
  await skipTutorial(other);
  await other.goto("/dialer");
  await logOut(other);
  await other.goto("/login");
  await enterPassword(other, email);
  await expect(other).toHaveURL(/\/dialer$/);
  const token = await storedToken(other);
  expect(token).not.toBe(before);

  await page.bringToFront();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectToHear(page, TONE_HERTZ);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();
  await expect.poll(async () => (await newestCall(email)).status).toBe("completed");
  expect(await storedToken(page)).toBe(token);
  await other.reload();
  await expect(other).toHaveURL(/\/dialer$/);
  await dial(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
});

test("the tab in which a top-up is paid inherits no call state", async ({ page, context }) => {
  // Low credit, so that the call offers a top-up at once.
  await connected(page, "0.01");
  await context.addInitScript(() => Object.assign(window, { keptAtOpening: Object.keys(sessionStorage) }));
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toContain("farline-call-of-this-tab");
  await page.getByRole("button", { name: "Top Up", exact: true }).click();
  const opening = context.waitForEvent("page");
  await page
    .getByRole("dialog", { name: "Top up during the call" })
    .getByRole("button", { name: /^Pay \$/ })
    .first()
    .click();
  const payment = await opening;
  await payByCard(payment, TEST_CARD);
  await expect(payment.getByRole("heading", { name: "Payment Successful" })).toBeVisible();
  const kept = await payment.evaluate(() => (window as unknown as { keptAtOpening: string[] }).keptAtOpening);
  expect(kept).toEqual([]);
  await page.bringToFront();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
});
