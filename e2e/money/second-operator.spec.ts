import { expect, test } from "@playwright/test";
import { booksOf } from "../support/books.ts";
import { signUp, topUp } from "../support/customer.ts";
import { newestPayment, operate, operateAs } from "../support/operate.ts";

test("a refund above $100 is proposed by one operator and confirmed by another on the command line", async ({ page }) => {
  const email = await signUp(page);
  await topUp(page, 150);
  const payment = await newestPayment(email);
  const proposed = await operate("refund", payment, "--reason", "Asked for by mail");
  expect(proposed.code).toBe(1);
  const id = /"approvals confirm ([0-9a-f-]{36})"/.exec(proposed.said)?.[1] ?? "none";
  expect((await booksOf(email)).balance).toBe(150_000_000n);
  expect((await operate("approvals")).said).toContain(`${id}  refund  $150.00`);

  const alone = await operate("approvals", "confirm", id);
  expect(alone).toMatchObject({ code: 1, said: expect.stringContaining("Another operator must confirm it.") });
  expect((await booksOf(email)).balance).toBe(150_000_000n);
  expect((await operateAs("ana", "approvals", "confirm", id)).said).toContain("$150.00 go back to the card. It is on its way.");
  expect((await booksOf(email)).balance).toBe(0n);
  await page.goto("/billing");
  await expect(page.getByText("Refund", { exact: true })).toBeVisible();
  expect((await operateAs("eve", "approvals", "reject", id, "--reason", "Too late")).code).toBe(1);
});

test("an operator lists on the command line what blocks calls", async () => {
  const { code, said } = await operate("breakers");
  expect(code).toBe(0);
  expect(said).toMatch(/^Carriers have taken \$\d+\.\d\d since midnight UTC\.\nNo breaker is in force\.\n$/);
  const unknown = await operate("breakers", "lift", "01a2010b-0000-7000-8000-000000000000", "--reason", "Ours");
  expect(unknown).toMatchObject({ code: 1, said: expect.stringContaining("is in force") });
});
