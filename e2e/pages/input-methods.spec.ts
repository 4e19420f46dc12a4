import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";

test("a number that a Japanese input method composes is entered once, and its Enter dials nothing", async ({ page }) => {
  await signUp(page);
  await giveTestCredit(page, 5);
  await page.goto("/dialer");
  await page.getByLabel("Country").selectOption("JP");
  const field = page.getByLabel("Phone number");
  await field.click();
  const browser = await page.context().newCDPSession(page);
  const digits = "０３１２３４５６７８";
  for (let length = 1; length <= digits.length; length += 1) {
    const text = digits.slice(0, length);
    await browser.send("Input.imeSetComposition", { text, selectionStart: length, selectionEnd: length });
    await expect(field).toHaveValue(text);
  }
  await browser.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", windowsVirtualKeyCode: 229 });
  await expect(field).toHaveValue(digits);
  await browser.send("Input.insertText", { text: digits });
  await expect(field).toHaveValue("03-1234-5678");
  await expect(page.getByRole("button", { name: "Call Now" })).toBeEnabled();
});
