import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { payByCard, skipTutorial, TEST_CARD } from "../support/customer.ts";
import { expectMailTo, signUpConfirmed } from "../support/mailbox.ts";
import { poll } from "../support/poll.ts";

/** Both have confirmed their addresses. */
const FIRST_CALL = 250_000n;

test("credit bought through somebody's link is theirs, with the greeting, and the receipt is the buyer's", async ({
  page,
  browser,
}) => {
  const asker = await signUpConfirmed(page);
  await page.goto("/billing");
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByLabel("Your link").inputValue();

  const giving = await (await browser.newContext()).newPage();
  await skipTutorial(giving);
  const giver = await signUpConfirmed(giving);
  await giving.goto(link);
  await expect(giving.getByRole("heading", { name: "Grace asks you for credit" })).toBeVisible();
  await giving.getByLabel("Amount").fill("12");
  await giving.getByLabel("A greeting").fill("Happy birthday, Mama");
  await giving.getByRole("button", { name: "Pay for Grace" }).click();
  await expect(giving.getByRole("heading", { name: "Pay by card" })).toBeVisible();
  await payByCard(giving, TEST_CARD);
  await expect(giving.getByText("Grace has the credit now.")).toBeVisible();

  await poll(async () => (await booksOf(asker)).balance).toBe(FIRST_CALL + 12_000_000n);
  expect(await booksOf(giver)).toMatchObject({ balance: FIRST_CALL, sum: 0n });
  await expect(page.getByRole("region", { name: "Given and received" })).toContainText("Happy birthday, Mama");
  await giving.goto("/billing");
  await expect(giving.getByRole("region", { name: "Given and received" })).toContainText("To Grace");
  await expectMailTo(asker, "Grace bought you calling credit");
});

test("somebody without an account pays through a link as a guest, and the receiver calls with it", async ({ page, browser }) => {
  await signUpConfirmed(page);
  await page.goto("/billing");
  await page.getByLabel("What it is for").fill("For calls to Grandma");
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByLabel("Your link").inputValue();

  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await expect(guest.getByText("For calls to Grandma")).toBeVisible();
  await guest.getByRole("button", { name: "$10", exact: true }).click();
  await guest.getByLabel("Your email").fill("kofi-guest@example.com");
  await guest.getByLabel("Your name").fill("Kofi");
  await guest.getByRole("button", { name: "Pay $10.00 by card" }).click();
  await expect(guest.getByRole("heading", { name: "Pay by card" })).toBeVisible();
  await payByCard(guest, TEST_CARD);
  await expect(guest.getByRole("heading", { name: "Thank you" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Given and received" })).toContainText("From Kofi");
});
