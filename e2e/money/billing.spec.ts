import { readFile } from "node:fs/promises";
import { expect, test, type Download, type Page } from "@playwright/test";
import { booksOf } from "../support/books.ts";
import { giveTestCredit, payByCard, signUp, TEST_CARD } from "../support/customer.ts";
import { expectMailTo } from "../support/mailbox.ts";

async function buyPackage(page: Page): Promise<void> {
  await page.goto("/topup");
  await page.getByRole("radio", { name: /\$21\.00/ }).check();
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await payByCard(page, TEST_CARD);
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

async function downloadBy(page: Page, button: string): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  return download;
}

test("a payment's receipt comes by mail, is read on its page, and is downloaded", async ({ page }) => {
  const email = await signUp(page);
  await buyPackage(page);
  await expect(page.getByText("A receipt has been sent by email.")).toBeVisible();
  await page.getByRole("link", { name: "See the receipt" }).click();
  const number = /\d{4}-\d{6}/.exec(await page.getByRole("article").innerText())?.[0] ?? "";
  await expectMailTo(email, `Your receipt ${number}`);
  const sheet = page.getByRole("article", { name: "Top-up" });
  await expect(sheet.getByText("$20.00")).toBeVisible();
  await expect(sheet.getByText("Bonus credit, free of charge")).toBeVisible();
  await expect(sheet.getByText(email)).toBeVisible();
  await expect(sheet.getByText("Farline Sample Seller")).toBeVisible();
  await page.reload();
  const pdf = await downloadBy(page, "Download PDF");
  expect(pdf.suggestedFilename()).toBe(`farline-receipt-${number}.pdf`);
  expect((await contentOf(pdf)).subarray(0, 5).toString()).toBe("%PDF-");
  await expect(sheet).toBeVisible();
});

test("the billing page shows every entry with its balance, and a statement that comes to the same", async ({ page }) => {
  const email = await signUp(page);
  await page.goto("/billing");
  await expect(page.getByText("No transactions yet")).toBeVisible();
  await expect(page.getByText("Your receipts appear here")).toBeVisible();
  await buyPackage(page);
  await page.getByRole("link", { name: "View Billing" }).click();
  await expect(page.getByText("Includes $1.00 of bonus credit")).toBeVisible();
  await expect(page.getByText("2 transactions")).toBeVisible();
  // Credit that comes while the page is open appears by itself.
  await giveTestCredit(page, 3);
  await expect(page.getByText("3 transactions")).toBeVisible();
  await expect(page.getByText("Balance $24.00")).toBeVisible();
  await page.getByRole("button", { name: "Bonus", exact: true }).click();
  await expect(page.getByText("Bonus credit", { exact: true })).toBeVisible();
  await expect(page.getByText("Test credit", { exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Refunds" }).click();
  await expect(page.getByText("Nothing to show here yet")).toBeVisible();

  const statement = page.getByRole("region", { name: "Monthly statement" });
  await expect(statement.getByText("3 entries")).toBeVisible();
  await expect(statement.getByText("$24.00").last()).toBeVisible();
  const json = await contentOf(await downloadBy(page, "Download as JSON"));
  const { statement: file } = JSON.parse(json.toString());
  const sum = file.entries.reduce((total: bigint, entry: { amount: string }) => total + micros(entry.amount), 0n);
  expect(micros(file.opening_balance) + sum).toBe(micros(file.closing_balance));
  expect(micros(file.closing_balance)).toBe((await booksOf(email)).balance);
  expect((await contentOf(await downloadBy(page, "Download as CSV"))).toString()).toContain("Closing balance");
  expect((await contentOf(await downloadBy(page, "Download as PDF"))).subarray(0, 5).toString()).toBe("%PDF-");
});

test("a receipt that is not one's own does not exist", async ({ page }) => {
  await signUp(page);
  await page.goto("/billing/receipts/6f9619ff-8b86-4d01-b42d-00cf4fc964ff");
  await expect(page.getByRole("heading", { name: "Receipt not found" })).toBeVisible();
});

function micros(dollars: string): bigint {
  const [whole = "", decimals = ""] = dollars.split(".");
  return BigInt(whole + decimals.padEnd(6, "0"));
}
