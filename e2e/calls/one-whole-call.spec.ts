import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectBothWays } from "../support/audio.ts";
import { booksOf, completedCall, expectChargedOnce } from "../support/books.ts";
import { signUp, talkTo, topUp } from "../support/customer.ts";
import { networkCall, TONE_LINE } from "../support/phone-network.ts";
import { expectCallOver } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

test("a complete call: sign up, pay, call, hear and be heard, press keys, hang up, and find the right charge", async ({
  page,
}) => {
  const email = await signUp(page);
  await topUp(page, 10);
  await expect(page.getByRole("link", { name: "Balance USD $10.00" }).first()).toBeVisible();

  await talkTo(page, TONE_LINE);
  await expectBothWays(page);

  await page.getByRole("button", { name: "Keypad" }).click();
  for (const key of ["1", "5", "Hash"])
    await page.getByRole("button", { name: key === "Hash" ? key : new RegExp(`^${key}`) }).click();
  await poll(async () => (await networkCall(TONE_LINE))?.digits).toBe("15#");

  await page.getByRole("button", { name: "Hang Up" }).click();
  await expectCallOver(page);
  const call = await completedCall(email);
  expect(call.seconds).toBeGreaterThan(0);
  expect(call.recomputed).toBeGreaterThan(0n);
  expectChargedOnce(call);
  const books = await booksOf(email);
  expect(books.sum).toBe(0n);
  expect(books.balance).toBe(10_000_000n - call.recomputed);
  expect(books.balance).toBe(books.entries);
  expect(books.held).toBe(0n);
  expect(books.pending).toBe(0n);

  await page.goto("/history");
  const row = page.getByRole("link", { name: /^\W*\+44 20 7946 0001/ });
  await expect(row).toContainText("COMPLETED", { ignoreCase: true });
  await row.click();
  await expect(page).toHaveURL(new RegExp(`/call/${call.id}$`));
  await expect(page.getByText("The bill, step by step")).toBeVisible();
});
