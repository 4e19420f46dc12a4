import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { signUp, topUp } from "../support/customer.ts";
import { newestPayment, operate } from "../support/operate.ts";

test("unused credit is returned to the card after a confirmation", async ({ page }) => {
  const email = await signUp(page);
  await topUp(page, 18);
  await page.goto("/billing");
  const section = page.getByRole("region", { name: "Withdraw unused credit" });
  await section.getByLabel("Amount").fill("25");
  await section.getByRole("button", { name: "Withdraw" }).click();
  await expect(section.getByText("Enter $1.00 to $18.00")).toBeVisible();
  await section.getByLabel("Amount").fill("12.50");
  await section.getByRole("button", { name: "Withdraw" }).click();
  const dialog = page.getByRole("dialog", { name: "Withdraw $12.50?" });
  await expect(dialog.getByText("Balance after").locator("..")).toContainText("$5.50");
  await dialog.getByRole("button", { name: "Keep my credit" }).click();
  expect((await booksOf(email)).balance).toBe(18_000_000n);
  await section.getByRole("button", { name: "Withdraw" }).click();
  await dialog.getByRole("button", { name: "Withdraw $12.50" }).click();
  await expect(page.getByText("$12.50 is on its way back to you")).toBeVisible();
  await expect(section.getByRole("listitem").getByText("Visa •••• 4242")).toBeVisible();
  await expect(section.getByText("Up to $5.50")).toBeVisible();
  await expect(page.getByText("Withdrawal", { exact: true })).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ balance: 5_500_000n, entries: 5_500_000n, sum: 0n });
});

test("an operator's refund, freeze and reconciliation work on the command line", async ({ page }) => {
  const email = await signUp(page);
  await topUp(page, 10);
  const reason = ["--reason", "Asked for by mail"];
  const payment = await newestPayment(email);
  expect((await operate("refund", payment, "--amount", "4", ...reason)).said).toContain("The refund is on its way");
  await page.goto("/billing");
  await expect(page.getByText("Refund", { exact: true })).toBeVisible();
  expect((await booksOf(email)).balance).toBe(6_000_000n);
  expect((await operate("reconcile", "--days", "1")).said).toContain("No differences.");
  expect((await operate("freeze", email, "--because", "payment", ...reason)).said).toContain("The account is frozen.");
  await page.reload();
  await expect(page.getByText("Your account is locked", { exact: true })).toBeVisible();
  await page.goto("/topup");
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await expect(page.getByRole("alert")).toContainText("Your account is locked");
  expect((await operate("unfreeze", email, ...reason)).code).toBe(0);
  await page.reload();
  await expect(page.getByText("Your account is locked", { exact: true })).toBeHidden();
});
