import { expect, type APIRequestContext } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf } from "../support/books.ts";
import { DECLINED_CARD, goToCardPage, payByCard, signUp, TEST_CARD, topUp } from "../support/customer.ts";
import { poll } from "../support/poll.ts";

const CALM = { lose: false, duplicate: false, delayMs: 0 };

async function setChaos(request: APIRequestContext, chaos: object): Promise<void> {
  const answer = await request.post(`${process.env["PRODUCT_SANDBOX_URL"]}/sandbox/stripe/chaos`, { data: chaos });
  expect(answer.ok()).toBe(true);
}

test.afterEach(async ({ request }) => setChaos(request, CALM));

test("a payment whose webhook never arrives is credited exactly once", async ({ page, request }) => {
  const email = await signUp(page);
  await setChaos(request, { lose: true });
  await topUp(page, 7);
  await expect(page.getByText("USD $7.00").first()).toBeVisible();
  await page.reload();
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ balance: 7_000_000n, entries: 7_000_000n, sum: 0n });
});

test("a payment is credited even if its page is closed before the redirect", async ({ page, context }) => {
  const email = await signUp(page);
  await goToCardPage(page, 8);
  await context.route("**/billing/success**", (route) => route.abort());
  await payByCard(page, TEST_CARD);
  await poll(async () => (await booksOf(email)).balance).toBe(8_000_000n);
});

test("a declined card charges nothing, and another card can be used at once", async ({ page }) => {
  const email = await signUp(page);
  await goToCardPage(page, 9);
  await payByCard(page, DECLINED_CARD);
  await expect(page.getByRole("alert")).toContainText(/declined/i);
  expect((await booksOf(email)).balance).toBe(0n);
  await payByCard(page, TEST_CARD);
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  expect((await booksOf(email)).balance).toBe(9_000_000n);
});
