import { readFile } from "node:fs/promises";
import { expect, type Download, type Locator, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { payByCard, signUp, TEST_CARD } from "../support/customer.ts";
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

test("a payment's receipt is mailed, shown on its page, and can be downloaded", async ({ page }) => {
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

test("a saved card tops up and an old receipt opens in two taps each", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signUp(page);
  await page.goto("/topup");
  await page.getByLabel("Save my card for next time").check();
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await payByCard(page, TEST_CARD);
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  await page.goto("/dialer");
  let taps = 0;
  const tap = async (target: Locator) => {
    taps += 1;
    await target.click();
  };
  await tap(page.getByRole("banner").getByRole("link", { name: "Top Up" }));
  await tap(page.getByRole("button", { name: /^Pay \$20\.00 with Visa/ }));
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  expect(taps).toBeLessThanOrEqual(2);

  await page.goto("/dialer");
  taps = 0;
  await tap(page.getByRole("link", { name: /^Balance USD/ }));
  await tap(page.getByRole("region", { name: "Transaction history" }).getByRole("link", { name: "Receipt" }).last());
  await expect(page.getByRole("article", { name: "Top-up" })).toBeVisible();
  expect(taps).toBeLessThanOrEqual(2);
});

test("a typed decimal comma separates cents, and is not dropped", async ({ page }) => {
  await signUp(page);
  await page.goto("/billing");
  const amount = page.getByLabel("Custom amount");
  await amount.clear();
  await amount.pressSequentially("12,50");
  await expect(amount).toHaveValue("12,50");
  await page.getByRole("button", { name: "Top up $12.50" }).click();
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await payByCard(page, TEST_CARD);
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  await expect(page.getByText("$12.50").first()).toBeVisible();
});
