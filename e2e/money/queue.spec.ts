import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { query } from "../support/books.ts";
import { faultsOf } from "../support/axe.ts";
import { openConsole } from "../support/operate.ts";
import { goToCardPage, payByCard, signUp } from "../support/customer.ts";

/** Stripe's test card whose payment is disputed at once. */
const DISPUTED_CARD = "4000 0000 0000 0259";

/** The links of cases of one kind, by the words of their second line. */
const casesOf = (page: Page, title: string | RegExp) =>
  page.getByRole("list", { name: "Cases" }).getByRole("link", { name: title });

/** Opens a case of this customer: others may have theirs. */
async function openCase(page: Page, email: string, kind: string): Promise<void> {
  const id = await query<{ id: string }>("select id from customer where email = $1", [email]);
  await page.getByRole("complementary", { name: "Customer" }).waitFor();
  for (const link of await casesOf(page, new RegExp(kind)).all()) {
    await link.click();
    const customer = page.getByRole("link", { name: "Open the customer" });
    if ((await customer.getAttribute("href"))?.endsWith(id.id) === true) return;
  }
  throw new Error(`${email} has no case ${kind}.`);
}

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
  await openCase(support, email, "Question");
  await expect(casesOf(support, /Dispute/)).toHaveCount(0);
  await expect(support.getByRole("blockquote")).toHaveText("Why did this cost so much?");
  await support.getByLabel("Answer to Grace Mensah").fill("A minute to that number costs a dollar.");
  const answered = support.url();
  await support.getByRole("button", { name: "Send the answer" }).click();
  await expect(support.getByText("The answer is on its way to the customer.")).toBeVisible();
  await support.goto(answered);
  await expect(support.getByText("This case is no longer waiting")).toBeVisible();

  const finance = await openConsole(browser, "bob", "/operator/queue");
  await expect(async () => {
    await finance.goto("/operator/queue?kind=dispute");
    await openCase(finance, email, "Dispute");
  }).toPass();
  if (process.env["FULL"] === "1") expect(await faultsOf(finance, "the queue")).toEqual([]);
  await finance.getByRole("button", { name: "Download the evidence" }).click();
  await finance.getByLabel("Reason").fill("For the bank");
  const download = finance.waitForEvent("download");
  await finance.getByRole("dialog").getByRole("button", { name: "Download the evidence" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  expect(file).toContain(email);
  expect(file).toContain('"payment"');
  await finance.getByRole("button", { name: "Mark as handled" }).click();
  await finance.getByLabel("Reason").fill("Sent the calls");
  await finance.getByRole("dialog").getByRole("button", { name: "Mark as handled" }).click();
  await expect(finance.getByText("The dispute no longer waits.")).toBeVisible();

  await page.goto("/cases");
  await expect(page.getByText("A minute to that number costs a dollar.")).toBeVisible();
});
