import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectToHear } from "../support/audio.ts";
import { completedCall } from "../support/books.ts";
import {
  enterPassword,
  giveTestCredit,
  logOut,
  payByCard,
  signUp,
  skipTutorial,
  talkTo,
  TEST_CARD,
} from "../support/customer.ts";
import { networkCall, TONE_HERTZ, TONE_LINE } from "../support/phone-network.ts";
import { backToPad } from "../support/screens.ts";

async function connected(page: Page, credit: number | string = 5): Promise<string> {
  const email = await signUp(page);
  await giveTestCredit(page, credit);
  await talkTo(page, TONE_LINE);
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
  // The page of the new session has no outcome of the call before.
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();
  await completedCall(email);
  expect(await storedToken(page)).toBe(token);
  await other.reload();
  await expect(other).toHaveURL(/\/dialer$/);
  await talkTo(page, TONE_LINE);
});

test("one press moves a call to another tab and on to another device, and it stays one call", async ({
  page,
  context,
  browser,
}) => {
  const email = await connected(page);
  const elsewhere = (other: Page) => other.getByRole("alert", { name: "A call is open elsewhere" });
  const moveTo = async (other: Page) => {
    await elsewhere(other).getByRole("button", { name: "Move the call here" }).click();
    await expect(other.getByText("Connected", { exact: true })).toBeVisible();
    await expectToHear(other, TONE_HERTZ);
  };
  const tab = await context.newPage();
  await tab.goto("/history");
  await moveTo(tab);
  await expect(elsewhere(page)).toBeVisible();
  // The first tab is no longer part of the call.
  await page.close({ runBeforeUnload: true });

  const device = await (await browser.newContext({ permissions: ["microphone"] })).newPage();
  await skipTutorial(device);
  await device.goto("/login");
  await enterPassword(device, email);
  await moveTo(device);
  await expect(elsewhere(tab)).toBeVisible();
  expect((await networkCall(TONE_LINE))?.state).toBe("answered");
  await device.getByRole("button", { name: "Hang Up" }).click();
  await backToPad(device);
  const { recorded, recomputed, booked, entries } = await completedCall(email);
  expect({ recorded, booked, entries }).toEqual({ recorded: recomputed, booked: recomputed, entries: 1 });
  await expect(tab.getByRole("button", { name: "Call Now" })).toBeVisible();
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
