import { expect, test } from "@playwright/test";
import { query } from "../support/books.ts";
import { DECLINED_CARD, dial, giveTestCredit, payByCard, signUp } from "../support/customer.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";

/** In the sample deck $0.448 a minute: not an ordinary destination. */
const GHANA_MOBILE = "+233241234567";
const DECLINES = 3;

let product: Product;
test.beforeAll(async () => {
  product = await startProduct({ env: { LIMITS_SCALE: "1" } });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
});

test("whoever has not proved the address reads what to do when the destination is a dear one", async ({ page }) => {
  await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await dial(page, GHANA_MOBILE);
  await expect(page.getByText("Confirm your email address to call this destination.").first()).toBeVisible();
});

test("after three declined cards the browser shows by itself that it is no robot, and the checkout opens", async ({ page }) => {
  await signUp(page, product.url);
  const checkout = async () => {
    await page.goto(`${product.url}/topup`);
    await page.getByRole("button", { name: "Secure Checkout" }).click();
    await expect(page.getByLabel("Card number")).toBeVisible();
  };
  await checkout();
  for (let times = 0; times < DECLINES; times++) {
    await payByCard(page, DECLINED_CARD);
    await expect.poll(knownDeclines).toBe(times + 1);
    await expect(page.getByRole("alert")).toContainText(/declined/i);
  }
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (/\/api\/billing\/(top-up|purchase-package)$/.test(response.url())) statuses.push(response.status());
  });
  await checkout();
  expect(statuses).toEqual([403, 200]);
});

/** Those that the service has heard of from the payment provider. */
async function knownDeclines(): Promise<number> {
  const sql = "select count(*)::integer as declines from payment_failure";
  return (await query<{ declines: number }>(sql, [], databaseUrlOf(product))).declines;
}
