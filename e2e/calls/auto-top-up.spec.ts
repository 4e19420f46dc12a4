import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { dial, fillInCard, giveTestCredit, signUp } from "../support/customer.ts";
import { liveCall } from "../support/live-call.ts";
import { poll } from "../support/poll.ts";

/** Its bank asks for confirmation when it is saved, and not again. */
const ASKS_ONCE = "4000 0025 0000 3155";
/** Rings, greets, and plays back what it hears. Expensive, so that a few cents last a few seconds. */
const ACCRA = "+233200000142";

const section = (page: Page) => page.getByRole("region", { name: "Automatic top-up" });

async function saveCard(page: Page, number: string): Promise<void> {
  await page.goto("/billing");
  await section(page).getByRole("button", { name: "Save a card" }).click();
  await fillInCard(page, number);
  await page.getByRole("button", { name: "Save card" }).click();
  await page.getByRole("button", { name: "Complete" }).click();
  await expect(page.getByText("Your card is saved", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/\/billing$/);
}

async function switchOn(page: Page, threshold: string, amount: string): Promise<void> {
  await section(page).getByLabel("When my credit falls below").fill(threshold);
  await section(page).getByLabel("Top up by").fill(amount);
  await section(page).getByRole("button", { name: "Turn on" }).click();
  await expect(section(page).getByText("Please agree that your card may be charged.")).toBeVisible();
  await section(page)
    .getByLabel(/^I agree/)
    .check();
  await section(page).getByRole("button", { name: "Turn on" }).click();
}

test("a card saved with its bank's confirmation tops up during a call, which continues with the new credit", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, "1.02");
  await saveCard(page, ASKS_ONCE);
  await expect(section(page).getByText("Visa •••• 3155")).toBeVisible();
  await switchOn(page, "1", "5");
  await expect(section(page).getByText("We add $5.00 with Visa •••• 3155 when your credit falls below $1.00.")).toBeVisible();

  const initiated = page.waitForResponse((response) => response.url().endsWith("/api/calls/initiate"));
  await dial(page, ACCRA);
  // From here on the top-up may happen at any time.
  const before = ((await (await initiated).json()) as { call: { max_seconds: number } }).call.max_seconds;
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await poll(async () => (await booksOf(email)).balance).toBe(6_020_000n);
  await poll(async () => (await liveCall(page))?.max_seconds ?? 0).toBeGreaterThan(before);
  await page
    .getByRole("button", { name: /^(End call|Hang up)/i })
    .first()
    .click();
  await poll(async () => (await booksOf(email)).held).toBe(0n);

  await page.goto("/billing");
  await expect(page.getByRole("link", { name: /^\d{4}-\d{6} Automatic top-up/ })).toBeVisible();
  await expect(section(page).getByText(/^Last top-up: \$5\.00/)).toBeVisible();
  const books = await booksOf(email);
  expect(books.balance).toBe(books.entries);
  expect(books.sum).toBe(0n);

  await section(page).getByRole("button", { name: "Remove Visa •••• 3155" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("The card is removed")).toBeVisible();
  await expect(section(page).getByRole("button", { name: "Save a card" })).toBeVisible();
});
