import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { payByCard, signUp, TEST_CARD, topUp } from "../support/customer.ts";
import { confirmAddress } from "../support/mailbox.ts";
import { operate } from "../support/operate.ts";
import { booksOf } from "../support/books.ts";
import { poll } from "../support/poll.ts";

const because = ["--reason", "A test"];

test("a promo code created on the command line grants its bonus with the credit, and only once", async ({ page }) => {
  const code = `SPRING-${Date.now() % 1_000_000}`;
  expect(
    (
      await operate(
        "promo",
        "create",
        code,
        "--percent",
        "10",
        "--min",
        "20",
        "--uses",
        "5",
        "--budget",
        "50",
        "--starts",
        "now",
        "--ends",
        "never",
        ...because,
      )
    ).said,
  ).toContain("The promo code can be used.");
  const email = await signUp(page);
  await page.goto("/topup");
  await page.getByRole("radio", { name: /^\$10/ }).check({ force: true });
  await page.getByText("I have a promo code").click();
  const field = page.getByLabel("Promo code");
  await field.pressSequentially(code.toLowerCase());
  await expect(field).toHaveValue(code);
  await expect(page.getByText("This promo code needs a top-up of at least $20.00.")).toBeVisible();
  await page.getByRole("radio", { name: /\$20/ }).check({ force: true });
  await expect(page.getByText("You get $2.00 extra as bonus credit.")).toBeVisible();
  await expect(page.getByText("$23.00", { exact: true })).toBeVisible();
  await expect(page.getByText("Up to 1,150 minutes of international calling time")).toBeVisible();
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await payByCard(page, TEST_CARD);
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ balance: 23_000_000n, entries: 23_000_000n, sum: 0n });
  await page.goto("/topup");
  await expect(page.getByText("Includes $3.00 of bonus credit")).toBeVisible();
  await page.getByText("I have a promo code").click();
  await page.getByLabel("Promo code").fill(code);
  await expect(page.getByText("You have already used this promo code.")).toBeVisible();
  expect((await operate("promo", "list")).said).toContain(
    `${code}  running  10 % from $20.00  1 of 5 uses, promised $2.00 of $50.00`,
  );
  expect((await operate("promo", "end", code, ...because)).said).toContain("1 top-ups used it.");
});

test("a confirmed address grants a free first call, and an invitation grants both sides a bonus", async ({ page, browser }) => {
  await page.goto("/");
  await expect(page.getByText("First call is FREE", { exact: true })).toBeVisible();
  const inviter = await signUp(page);
  await confirmAddress(page, inviter);
  await poll(async () => (await booksOf(inviter)).balance).toBe(250_000n);
  await page.goto("/account");
  const link = await page.getByLabel("Your link").inputValue();
  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByText("A friend invited you.")).toBeVisible();
  const claimed = guest.waitForResponse((answer) => answer.url().endsWith("/api/referral/claim"));
  const friend = await signUp(guest);
  expect(await (await claimed).json()).toEqual({ accepted: true, bonus: "2.00" });
  await confirmAddress(guest, friend);
  await poll(async () => (await booksOf(friend)).balance).toBe(250_000n);
  await topUp(guest, 10);
  await poll(async () => (await booksOf(friend)).balance).toBe(12_250_000n);
  await poll(async () => (await booksOf(inviter)).balance).toBe(2_250_000n);
  await context.close();
});
