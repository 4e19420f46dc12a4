import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { networkCall, TONE_LINE } from "../support/phone-network.ts";
import { endCall } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

test("an extension is sent after the answer, remembered for the number, and can be removed", async ({ page }) => {
  await signUp(page);
  await giveTestCredit(page, 5);
  const number = page.getByLabel("Phone number");
  await number.fill("tel:0044-20 (7946) 0001 ext. 12#");
  await expect(page.getByLabel("Extension", { exact: true })).toHaveValue(",,12#");
  await number.press("Enter");
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle(/^\d\d:\d\d · Connected/);
  await poll(async () => (await networkCall(TONE_LINE))?.digits).toBe("12#");
  await endCall(page);

  await page.reload();
  await number.fill(TONE_LINE);
  await expect(page.getByLabel("Extension", { exact: true })).toHaveValue(",,12#");
  await page.getByRole("button", { name: "Remove the extension" }).click();
  await expect(page.getByLabel("Extension", { exact: true })).toBeHidden();
});
