import { expect, test } from "@playwright/test";
import { booksOf } from "../support/books.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { expectMailTo } from "../support/mailbox.ts";
import { endCall, TONE_LINE } from "../support/screens.ts";

test("a caller limits countries and costs, is held to it in plain words, and hears by mail when it is loosened", async ({
  page,
}) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);

  await page.goto("/account");
  const card = page.getByRole("region", { name: "Your own limits" });
  await card.getByLabel("Daily spending limit").fill("2");
  await card.getByLabel("Only these").check();
  await card.getByRole("button", { name: "Save the limits" }).click();
  await expect(card.getByText("Choose at least one country.")).toBeVisible();
  await card.getByLabel("Add a country").selectOption("Germany");
  await card.getByLabel("Limit per call").fill("much");
  await card.getByRole("button", { name: "Save the limits" }).click();
  await expect(card.getByText("Enter an amount between $0.01 and $10,000.")).toBeVisible();
  await card.getByLabel("Limit per call").fill("0,25");
  await card.getByRole("button", { name: "Save the limits" }).click();
  await expect(page.getByText("Limits saved")).toBeVisible();

  await dial(page, TONE_LINE);
  await expect(page.getByText(/Your own limits do not allow calls to this country\./).first()).toBeVisible();
  expect(await booksOf(email)).toMatchObject({ held: 0n, pending: 0n });

  await page.goto("/account");
  await expect(card.getByLabel("Limit per call")).toHaveValue("0.25");
  await card.getByLabel("Add a country").selectOption("United Kingdom");
  await card.getByRole("button", { name: "Remove Germany" }).click();
  await card.getByRole("button", { name: "Save the limits" }).click();
  await expect(page.getByText("Limits saved")).toBeVisible();
  await expectMailTo(email, "Your own limits allow more now");

  await dial(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  expect((await booksOf(email)).held).toBe(250_000n);
  await endCall(page);
  await page.goto("/account");
  await expect(card.getByText(/\$0\.\d\d used today\./)).toBeVisible();
});
