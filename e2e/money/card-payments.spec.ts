import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { goToCardPage, payByCard, signUp } from "../support/customer.ts";

const ASKS_THE_BANK = "4000 0027 6000 3184";

test("a card whose bank requires confirmation is charged only after its holder confirms", async ({ page }) => {
  const email = await signUp(page);
  await goToCardPage(page, 9);
  await payByCard(page, ASKS_THE_BANK);
  await expect(page.getByRole("heading", { name: "Your bank asks" })).toBeVisible();
  await expect(page.getByText("$9.00")).toBeVisible();
  await page.getByRole("button", { name: "Fail" }).click();
  await expect(page.getByRole("alert")).toContainText("Your bank could not confirm that it is you");
  expect((await booksOf(email)).balance).toBe(0n);

  await payByCard(page, ASKS_THE_BANK);
  await page.getByRole("button", { name: "Complete" }).click();
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ balance: 9_000_000n, sum: 0n });
});
