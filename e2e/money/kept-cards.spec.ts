import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsOf } from "../support/axe.ts";
import { booksOf, query } from "../support/books.ts";
import { DECLINED_CARD, KEEP_CARD, payAndKeep, payByCard, signUp } from "../support/customer.ts";
import { open, sidewaysScroll } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

async function isPaid(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { name: "Payment Successful" })).toBeVisible();
}

/** Sets the sign-in time far back, so that step-up is required. */
async function forgetSignIn(email: string): Promise<void> {
  await query(
    "update session set authenticated_at = now() - interval '1 day' where customer_id = (select id from customer where email = $1)",
    [email],
  );
}

/** The card page shows a decline at once; the provider tells the service a moment later. */
async function isDeclined(page: Page, email: string): Promise<void> {
  await expect(page.getByRole("alert")).toContainText(/declined/i);
  const known =
    "select count(*)::integer as declines from payment_failure f join customer c on c.id = f.customer_id where email = $1";
  await poll(async () => (await query<{ declines: number }>(known, [email])).declines).toBe(1);
}

test("a card saved at the checkout pays again in one step, and once however often the button is pressed", async ({ page }) => {
  const email = await signUp(page);
  await payAndKeep(page, 12);
  await isPaid(page);
  await page.goto("/topup");
  await page.getByLabel("Or another amount").fill("7");
  await expect(page.getByRole("radio", { name: "Visa •••• 4242" })).toBeChecked();
  await page.getByRole("button", { name: "Pay $7.00 with Visa •••• 4242" }).dblclick();
  await isPaid(page);
  await expect(page.getByText("USD $19.00").first()).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ balance: 19_000_000n, entries: 19_000_000n, sum: 0n });
  await page.goto("/topup");
  await page.getByRole("radio", { name: /^Another way to pay/ }).check();
  await expect(page.getByRole("button", { name: "Secure Checkout" })).toBeVisible();
  await expect(page.getByLabel(KEEP_CARD)).not.toBeChecked();
  await page.goto("/billing");
  await expect(page.getByRole("list", { name: "Saved cards" }).getByText("Visa •••• 4242")).toBeVisible();
});

test(
  "axe finds nothing on saved cards, an automatic top-up, withdrawals and the password dialog",
  { tag: "@full" },
  async ({ page }) => {
    const found: string[] = [];
    const look = async (where: string) => {
      found.push(...(await faultsOf(page, where)));
      await page.setViewportSize({ width: 360, height: 740 });
      const sideways = await sidewaysScroll(page);
      if (sideways) found.push(`${where} scrolls sideways, ${sideways}`);
    };
    const email = await signUp(page);
    await payAndKeep(page, 18);
    await isPaid(page);
    const withdraw = page.getByRole("region", { name: "Withdraw unused credit" });
    await page.goto("/billing");
    await withdraw.getByLabel("Amount").fill("4");
    await withdraw.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw $4.00" }).click();
    await expect(withdraw.getByRole("listitem").getByText("Visa •••• 4242")).toBeVisible();
    await open(page, "/topup");
    await expect(page.getByRole("radio", { name: "Visa •••• 4242" })).toBeChecked();
    await look("the top-up page with a kept card");
    await page.getByRole("radio", { name: /^Another way to pay/ }).check();
    await look("the top-up page with the box to keep a card");
    await page.getByRole("button", { name: "Secure Checkout" }).click();
    await payByCard(page, DECLINED_CARD);
    await isDeclined(page, email);

    await open(page, "/billing");
    const auto = page.getByRole("region", { name: "Automatic top-up" });
    await auto.getByLabel(/^I agree/).check();
    await forgetSignIn(email);
    await auto.getByRole("button", { name: "Turn on" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look("the question for the password");
    await page.keyboard.press("Escape");
    await look("the billing page with a card, a withdrawal and an unpaid payment");
    expect(found).toEqual([]);
  },
);
