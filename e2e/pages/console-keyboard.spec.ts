import { randomUUID } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import { hashToken, newToken } from "@farline/server/platform/sealed-value.ts";
import { test } from "../support/test.ts";
import { query } from "../support/books.ts";
import { addAuthenticator, signUp, topUp } from "../support/customer.ts";

/** More than any page of the console has controls before its first row. */
const MAX_TABS = 80;

/** Presses Tab until the element has the focus. Every element on the way must show that it has it. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await expect(wanted).toBeVisible();
  for (let press = 0; press < MAX_TABS; press += 1) {
    await page.keyboard.press("Tab");
    const shown = await page.evaluate(() => {
      const focused = document.activeElement;
      if (focused === null || focused === document.body) return true;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
      return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    });
    expect(shown, "the focus is visible").toBe(true);
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`The keyboard does not reach ${wanted.toString()}.`);
}

async function press(page: Page, wanted: Locator): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press("Enter");
}

/** The link of an invitation for a new operator. */
async function invitation(email: string): Promise<string> {
  const [id, token] = [randomUUID(), newToken("fo_")];
  await query(
    "insert into operator (id, email, name, role, created_at, trusted_from) values ($1, $2, 'Kay', 'finance', now(), now())",
    [id, email],
  );
  await query(
    "insert into operator_invitation (operator_id, token_hash, expires_at) values ($1, $2, now() + interval '15 minutes')",
    [id, hashToken(token)],
  );
  return `/operator/invitation#${token}`;
}

test(
  "by keyboard alone an operator signs in, finds a customer, refunds and answers",
  { tag: "@full" },
  async ({ page, browser }) => {
    const email = await signUp(page);
    await topUp(page, 20);
    await page.goto("/cases/new");
    await page.getByLabel("What is it about?").selectOption("A charge");
    await page.getByLabel("Your question").fill("May I have $5 back?");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByText("May I have $5 back?")).toBeVisible();

    const operator = `kay-${Date.now()}@farline.example`;
    const console = await (await browser.newContext()).newPage();
    await addAuthenticator(console);
    await console.goto(await invitation(operator));
    await press(console, console.getByRole("button", { name: "Create a passkey" }));
    await expect(console.getByRole("heading", { name: "Overview" })).toBeVisible();
    await press(console, console.getByRole("button", { name: "Sign out" }));
    await press(console, console.getByRole("button", { name: "Use a passkey" }));
    await expect(console.getByRole("heading", { name: "Overview" })).toBeVisible();
    // The proof of identity is no longer recent.
    await query(
      "update operator_session set proved_at = now() - interval '10 minutes' where operator_id = (select id from operator where email = $1)",
      [operator],
    );

    await console.keyboard.press("/");
    await expect(console.getByRole("searchbox")).toBeFocused();
    await console.keyboard.type(email);
    await console.keyboard.press("Enter");
    await press(console, console.getByRole("link", { name: email }).first());
    await press(console, console.getByRole("button", { name: /^Refund: / }));
    const dialog = console.getByRole("dialog");
    await tabTo(console, dialog.getByLabel("Amount"));
    await console.keyboard.type("5");
    await tabTo(console, dialog.getByLabel("Reason"));
    await console.keyboard.type("Asked for it");
    await console.keyboard.press("Enter");
    await press(
      console,
      console.getByRole("dialog", { name: "Confirm that it is you" }).getByRole("button", { name: "Use a passkey" }),
    );
    await expect(console.getByText("The refund is on its way.")).toBeVisible();
    const refunded =
      "select r.amount_micros::text as micros from refund r join customer c on c.id = r.customer_id where c.email = $1";
    expect(await query(refunded, [email])).toEqual({ micros: "5000000" });

    await press(console, console.getByRole("link", { name: /^Queue/ }));
    const question = console.getByRole("link").filter({ hasText: "May I have $5 back?" });
    await press(console, question);
    await tabTo(console, console.getByLabel(/^Answer to /));
    await console.keyboard.type("It is on its way.");
    await press(console, console.getByRole("button", { name: "Send the answer" }));
    await expect(question).toHaveCount(0);
  },
);
