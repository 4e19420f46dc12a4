import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Browser, type Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { test } from "../support/test.ts";
import { faultsOf } from "../support/axe.ts";
import { booksOf, query } from "../support/books.ts";
import { addAuthenticator, signUp, topUp } from "../support/customer.ts";
import { newestPayment, operateIn, signInCommandLine } from "../support/operate.ts";

const PASSWORD = "seven blue umbrellas";

/** Opens an invitation's link in a browser of its own, and sets up a password with an authenticator. */
async function acceptInvitation(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto("/operator");
  await checkAccess(page, "the sign-in");
  await page.goto(link);
  await page.getByRole("button", { name: "Use a password and an authenticator instead" }).click();
  const secret = ((await page.getByLabel("Key").textContent()) ?? "").replaceAll(" ", "");
  await page.getByLabel("Code that the app shows").fill(new TOTP({ secret }).generate());
  await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("New password again").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up the sign-in" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  return page;
}

/** The same with a passkey of a simulated authenticator. */
async function acceptWithPasskey(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await addAuthenticator(page);
  await page.goto(link);
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  return page;
}

/** Checks a page of the console with axe, in the full run. */
async function checkAccess(page: Page, where: string): Promise<void> {
  if (process.env["FULL"] === "1") expect(await faultsOf(page, where)).toEqual([]);
}

/** Of the command line that the first administrator signs in. */
let home: string;
test.beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "farline-operator-"));
});
test.afterAll(() => rmSync(home, { recursive: true }));

test("the first administrator comes from the command line, and a second one confirms what the first proposed", async ({
  page,
  browser,
}) => {
  const email = await signUp(page);
  await topUp(page, 150);
  const payment = await newestPayment(email);

  const added = await operateIn(home, "operator", "add", "first@farline.example", "--role", "admin");
  const first = await acceptInvitation(browser, /http\S+invitation#\S+/.exec(added.said)?.[0] ?? "");
  expect((await operateIn(home, "operator", "add", "other@farline.example", "--role", "admin")).code).toBe(1);

  await signInCommandLine(home, async (link) => {
    await first.goto(link);
    await checkAccess(first, "a command line");
    await first.getByRole("button", { name: "Confirm" }).click();
  });
  const { said } = await operateIn(home, "refund", payment, "--amount", "all", "--reason", "Asked for by mail");
  expect(said).toContain("must confirm it");
  const id = /"approvals confirm ([0-9a-f-]{36})"/.exec(said)?.[1] ?? "none";
  expect((await operateIn(home, "approvals", "confirm", id)).said).toContain("Another operator must confirm it.");
  expect((await booksOf(email)).balance).toBe(150_000_000n);

  await first.goto("/operator/queue");
  await expect(first.getByRole("heading", { name: `Refund $150.00 for ${email}` })).toBeVisible();
  await expect(first.getByText("You proposed this, so another operator must confirm it.")).toBeVisible();
  await expect(first.getByRole("button", { name: "Confirm" })).toHaveCount(0);
  await checkAccess(first, "the proposals in the queue");

  await first.getByRole("link", { name: "Operators" }).click();
  await first.getByRole("button", { name: "Invite an operator" }).click();
  await checkAccess(first, "an invitation");
  await first.getByLabel("Name").fill("Second");
  await first.getByLabel("Email").fill("second@farline.example");
  await first.getByLabel("Role").selectOption("finance");
  await first.getByLabel("Reason").fill("A second pair of eyes");
  await first.getByRole("dialog").getByRole("button", { name: "Invite an operator" }).click();
  const second = await acceptWithPasskey(browser, await first.getByRole("textbox", { name: "Link" }).inputValue());

  await second.getByRole("button", { name: "Sign out" }).click();
  await second.getByRole("button", { name: "Use a passkey" }).click();
  await second.getByRole("link", { name: "Queue" }).click();
  await expect(second.getByText("counts as a second person only from")).toBeVisible();
  await expect(second.getByRole("button", { name: "Confirm" })).toHaveCount(0);
  await query("update operator set trusted_from = now() where email = 'second@farline.example'");
  await second.reload();
  await second.getByRole("button", { name: "Confirm" }).click();
  await second.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await expect(second.getByText(/^Done\./)).toBeVisible();
  expect((await booksOf(email)).balance).toBe(0n);
  await second.getByRole("link", { name: "Audit log" }).click();
  await expect(second.getByText("by Second").first()).toBeVisible();
  await checkAccess(second, "the audit log");
  await page.goto("/billing");
  await expect(page.getByText("Refund", { exact: true })).toBeVisible();

  await first.goto("/operator/operators");
  const row = first.getByRole("listitem").filter({ hasText: "second@farline.example" });
  await row.getByRole("button", { name: "Remove" }).click();
  await first.getByLabel("Reason").fill("Left the company");
  await first.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  await second.reload();
  await expect(second.getByRole("heading", { name: "Operators' sign-in" })).toBeVisible();
  await first.getByRole("link", { name: "Audit log" }).click();
  await first.getByRole("button", { name: "by Second" }).first().click();
  await expect(first.getByRole("button", { name: /^by first$/i })).toHaveCount(0);
  await expect(first.getByRole("listitem").filter({ hasText: "Asked for by mail" })).toContainText("Refund");
});
