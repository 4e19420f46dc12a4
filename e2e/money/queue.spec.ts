import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { faultsOf } from "../support/axe.ts";
import { openConsole } from "../support/operate.ts";
import { goToCardPage, payByCard, signUp } from "../support/customer.ts";

/** Stripe's test card whose payment is disputed at once. */
const DISPUTED_CARD = "4000 0000 0000 0259";

const rowOf = (page: Page, email: string, title: string | RegExp) =>
  page.getByRole("listitem").filter({ hasText: email }).filter({ hasText: title });

test("a question is answered, and a dispute with the evidence of the calls, each in the queue", async ({ page, browser }) => {
  const email = await signUp(page);
  await page.goto("/cases/new");
  await page.getByLabel("What is it about?").selectOption("A charge");
  await page.getByLabel("Your question").fill("Why did this cost so much?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Why did this cost so much?")).toBeVisible();
  await goToCardPage(page, 20);
  await payByCard(page, DISPUTED_CARD);

  const support = await openConsole(browser, "eve", "/operator/queue");
  await expect(rowOf(support, email, /^Question/)).toBeVisible();
  await expect(rowOf(support, email, "Dispute")).toHaveCount(0);
  await rowOf(support, email, /^Question/)
    .getByRole("button", { name: "Answer" })
    .click();
  await support.getByLabel("What the customer reads").fill("A minute to that number costs a dollar.");
  await support.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
  await expect(rowOf(support, email, /^Question/)).toHaveCount(0);

  const finance = await openConsole(browser, "bob", "/operator/queue");
  const dispute = rowOf(finance, email, "Dispute: fraudulent");
  await expect(async () => {
    await finance.reload();
    await expect(dispute).toBeVisible({ timeout: 2_000 });
  }).toPass();
  if (process.env["FULL"] === "1") expect(await faultsOf(finance, "the queue")).toEqual([]);
  await dispute.getByRole("button", { name: "Download the evidence" }).click();
  await finance.getByLabel("Reason").fill("For the bank");
  const download = finance.waitForEvent("download");
  await finance.getByRole("dialog").getByRole("button", { name: "Download the evidence" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  expect(file).toContain(email);
  expect(file).toContain('"payment"');
  await dispute.getByRole("button", { name: "Mark as handled" }).click();
  await finance.getByLabel("Reason").fill("Sent the calls");
  await finance.getByRole("dialog").getByRole("button", { name: "Mark as handled" }).click();
  await expect(dispute).toHaveCount(0);

  await page.goto("/cases");
  await expect(page.getByText("A minute to that number costs a dollar.")).toBeVisible();
});
