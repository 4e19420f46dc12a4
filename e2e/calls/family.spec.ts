import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { dial, giveTestCredit, skipTutorial } from "../support/customer.ts";
import { linkMailedTo, signUpConfirmed } from "../support/mailbox.ts";
import { ECHO_LINE } from "../support/phone-network.ts";

test("somebody invited by mail joins, calls on the owner's credit within the limit, and is removed", async ({
  page,
  browser,
}) => {
  await signUpConfirmed(page);
  await giveTestCredit(page, 5);
  const guest = await (await browser.newContext()).newPage();
  await skipTutorial(guest);
  const email = await signUpConfirmed(guest);

  await page.goto("/account");
  await page.getByRole("link", { name: "Family" }).click();
  const form = page.getByRole("region", { name: "Invite someone" });
  await form.getByLabel("Their email address").fill(email);
  await form.getByLabel("Limit per day").fill("0.50");
  await form.getByRole("button", { name: "Invite" }).click();
  await expect(page.getByRole("region", { name: "Open invitation by email" })).toBeVisible();

  await guest.goto(await linkMailedTo(email, "Grace Mensah invites you to a family on Farline"));
  await expect(guest.getByText("Grace always sees your name")).toBeVisible();
  await guest.getByRole("button", { name: "Accept" }).click();
  await expect(guest.getByRole("heading", { name: "Family of Grace Mensah" })).toBeVisible();

  await guest.goto("/dialer");
  await expect(guest.getByText("Credit of Grace Mensah")).toBeVisible();
  await dial(guest, ECHO_LINE);
  await expect(guest.getByText("The limit of your family.")).toBeVisible();
  await expect(guest.getByText("Connected")).toBeVisible();
  await guest.getByRole("button", { name: /Hang Up/i }).click();

  await page.goto("/billing");
  await expect(page.getByText("Call by Grace Mensah")).toBeVisible();
  await expect(page.getByText("7946 0000")).toHaveCount(0);
  await page.goto("/family");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByRole("region", { name: "Grace Mensah" })).toHaveCount(0);
  await guest.goto("/family");
  await expect(guest.getByRole("region", { name: "Invite someone" })).toBeVisible();
});
