import { expect, type Page } from "@playwright/test";
import { query } from "./books.ts";
import { sessionHeaders } from "./customer.ts";
import { insertPastCalls } from "./past-calls.ts";
import { open } from "./screens.ts";

/** Pages that the navigation does not name. */
const OTHER_PAGES = ["/operator/search", "/operator/decks/import", "/operator/runbooks/database-held"];

/** No place in it where a line would break by itself. */
const LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff".repeat(3);

/** The addresses of the console's pages: all that its navigation names, the others, and a customer, a call and a question if there are any. */
export async function consoleAddresses(console: Page): Promise<string[]> {
  await expect(console.locator("nav[aria-label=Console] a").first()).toBeVisible();
  const named = await console
    .locator("nav[aria-label=Console] a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  expect(named.length).toBeGreaterThan(12);
  const found = await query<{ customer: string | null; call: string | null; question: string | null }>(
    `select (select id from customer order by created_at desc limit 1) as customer, (select id from call order by created_at desc limit 1) as call,
      (select number::text from support_case where state = 'open' order by created_at desc limit 1) as question`,
  );
  return [
    ...new Set([
      ...named.map((path) => new URL(path, console.url()).pathname),
      ...OTHER_PAGES,
      ...(found.customer === null ? [] : [`/operator/customers/${found.customer}`]),
      ...(found.call === null ? [] : [`/operator/calls/${found.call}`]),
      ...(found.question === null ? [] : [`/operator/queue/question/${found.question}`]),
    ]),
  ];
}

/** Opens a page of the console and waits until it has its data. */
export async function openConsolePage(console: Page, path: string): Promise<void> {
  await open(console, new URL(path, console.url()).href);
  await expect(console.locator("main [data-placeholder]")).toHaveCount(0);
}

/** Gives the figures of the last month something to show, with the longest name that a customer and a trunk can have. */
export async function fillTraffic(email: string): Promise<void> {
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", email, 700);
  const took = { started_at: new Date().toISOString(), duration_ms: 2_000, post_dial_delay_ms: 1_600 };
  const attempt = { ...took, trunk: "main", outcome: "answered", sip_status: 200, q850_cause: null };
  await query(
    `update call set transferred_at = created_at, trunk = 'main', trunk_attempts = $2
      where customer_id = (select id from customer where email = $1)`,
    [email, JSON.stringify([attempt])],
  );
  await query("update customer set name = $2 where email = $1", [email, LONG_NAME]);
}

/** A customer's question, which then waits in the queue. */
export async function ask(page: Page): Promise<void> {
  const answer = await page.request.post(new URL("/api/cases", page.url()).href, {
    data: { topic: "charge", message: "Why so much?" },
    headers: await sessionHeaders(page),
  });
  expect(answer.status(), await answer.text()).toBe(201);
}
