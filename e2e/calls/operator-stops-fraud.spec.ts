import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf, completedCall, query } from "../support/books.ts";
import { confirmWithReason, openConsole } from "../support/operate.ts";
import { giveTestCredit, signUp, talkTo, tokenOf } from "../support/customer.ts";
import { endCall, startCall } from "../support/screens.ts";
import { TONE_LINE } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

/** Requests calls one after the other, as fast as they are answered, until one is refused because the account is locked. */
async function runScript(page: Page): Promise<string[]> {
  return page.evaluate(
    async ({ token, number }) => {
      const answers: string[] = [];
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const deadline = Date.now() + 60_000;
      while (Date.now() < deadline && answers.at(-1) !== "account_frozen") {
        const answer = await fetch("/api/calls/initiate", {
          method: "POST",
          headers: { ...headers, "idempotency-key": crypto.randomUUID() },
          body: JSON.stringify({ destination_number: number }),
        });
        answers.push(answer.ok ? "call" : ((await answer.json()) as { code: string }).code);
      }
      return answers;
    },
    { token: await tokenOf(page), number: TONE_LINE },
  );
}

const balanceOf = async (email: string) => (await booksOf(email)).balance;

test(
  "an operator stops a script that dials: its calls end, it gets no other, and nothing more is charged",
  { tag: "@full" },
  async ({ page, browser }) => {
    const email = await signUp(page);
    await giveTestCredit(page, 5);
    await talkTo(page, TONE_LINE);
    const script = runScript(page);

    const console = await openConsole(browser, "eve", "/operator/live");
    await console.getByTitle(email).getByRole("link").first().click();
    await console.getByRole("button", { name: `Freeze: ${email}` }).click();
    await confirmWithReason(console, "A script dials one number", "Freeze");
    await expect(console.getByText("The account is frozen.")).toBeVisible();
    expect((await script).at(-1)).toBe("account_frozen");
    await console.getByRole("button", { name: `Hang up: ${email}` }).click();
    await confirmWithReason(console, "A script dials one number", "Hang up");

    const open =
      "select count(*)::int as calls from call c join customer p on p.id = c.customer_id where p.email = $1 and ended_at is null";
    await poll(async () => (await query<{ calls: number }>(open, [email])).calls).toBe(0);
    const left = await balanceOf(email);
    expect(await runScript(page)).toEqual(["account_frozen"]);
    expect(await booksOf(email)).toMatchObject({ sum: 0n, held: 0n, pending: 0n, balance: left });
    expect(left).toBeLessThan(5_000_000n);
  },
);

test(
  "a complaint about a call is answered, and its charge goes back from the customer's page",
  { tag: "@full" },
  async ({ page, browser }) => {
    const email = await signUp(page);
    await giveTestCredit(page, 5);
    await startCall(page);
    await endCall(page);
    await completedCall(email);
    expect(await balanceOf(email)).toBeLessThan(5_000_000n);
    await page.goto("/cases/new");
    await page.getByLabel("What is it about?").selectOption("A charge");
    await page.getByLabel("Your question").fill("I heard nothing at all.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByText("I heard nothing at all.")).toBeVisible();

    const console = await openConsole(browser, "eve", "/operator/overview");
    await console.getByRole("link", { name: /^Questions: / }).click();
    const question = console.getByRole("listitem").filter({ hasText: email });
    await question.getByRole("link", { name: email }).click();
    await console.getByRole("button", { name: /^Refund the call: / }).click();
    await confirmWithReason(console, "The line was silent", "Refund the call");
    await expect(console.getByText("The charge is back on the customer's account.")).toBeVisible();
    expect(await balanceOf(email)).toBe(5_000_000n);
    await console.getByRole("link", { name: /^Queue/ }).click();
    await question.getByRole("button", { name: "Answer" }).click();
    await console.getByLabel("Message to the customer").fill("You have your credit back.");
    await console.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await expect(question).toHaveCount(0);
    await page.goto("/cases");
    await expect(page.getByText("You have your credit back.")).toBeVisible();
  },
);
