import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { goToCardPage, signUp } from "../support/customer.ts";

test("a bank debit in euros is pending until its money arrives, then it is credit", async ({ page, request }) => {
  const email = await signUp(page);
  await goToCardPage(page, 18);
  await page.getByRole("link", { name: "EUR" }).click();
  await expect(page.getByRole("button", { name: "Pay €16.56" })).toBeVisible();
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const sandbox = new URL(page.url()).origin;
  await page.getByRole("button", { name: "SEPA Direct Debit" }).click();
  await expect(page.getByRole("heading", { name: "Waiting for your money" })).toBeVisible();
  expect((await booksOf(email)).balance).toBe(0n);
  await page.getByRole("link", { name: "View Billing" }).click();
  await expect(page.getByText("Waiting for the money. This can take some days.")).toBeVisible();
  expect((await request.post(`${sandbox}/sandbox/stripe/sessions/${sessionId}/succeed`, { data: {} })).ok()).toBe(true);
  await expect(page.getByText("Waiting for the money. This can take some days.")).toBeHidden();
  expect(await booksOf(email)).toMatchObject({ balance: 18_000_000n, sum: 0n });
  await page.getByRole("link", { name: "Receipt" }).first().click();
  await expect(page.getByText("SEPA Direct Debit •••• 3000")).toBeVisible();
});
