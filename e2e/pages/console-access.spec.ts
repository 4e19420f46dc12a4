import { expect, test, type Page } from "@playwright/test";
import { faultsInBothThemes, faultsOf } from "../support/axe.ts";
import { query } from "../support/books.ts";
import { openConsole } from "../support/operate.ts";
import { signUp, tokenOf, topUp } from "../support/customer.ts";
import { insertPastCalls } from "../support/past-calls.ts";
import { open, sidewaysScroll, watchForViolations } from "../support/screens.ts";

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };
/** Pages that the navigation does not name. */
const OTHER_PAGES = ["/operator/search", "/operator/decks/import", "/operator/runbooks/database-held"];

/** Buttons that open a form or a pane; what they do is confirmed there. Each is tried once. */
const OPENERS =
  /^(Refund|Freeze|Correct the credit|Change a limit|Sign out everywhere|Confirm the address|Send a copy of their data|Erase the account|Close without an answer|Start a promo code|Block a caller id|Compare with the payment provider|Change |History of |Invite an operator|Remove)/;

/** A section that looks like a card, without the space of one. */
function isBare(section: Element): boolean {
  const { paddingTop, backgroundColor } = getComputedStyle(section);
  return paddingTop === "0px" && backgroundColor !== "rgba(0, 0, 0, 0)";
}

/** Gives the figures of the last month something to show. */
async function fillTraffic(email: string): Promise<void> {
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", email, 700);
  const took = { started_at: new Date().toISOString(), duration_ms: 2_000, post_dial_delay_ms: 1_600 };
  const attempt = { ...took, trunk: "main", outcome: "answered", sip_status: 200, q850_cause: null };
  await query(
    `update call set transferred_at = created_at, trunk = 'main', trunk_attempts = $2
      where customer_id = (select id from customer where email = $1)`,
    [email, JSON.stringify([attempt])],
  );
}

/** The addresses of the console's pages: all that its navigation names, the others, and a customer and a call if there are any. */
async function addresses(console: Page): Promise<string[]> {
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

test(
  "no page of the console scrolls sideways on a phone, and none of its tables",
  { tag: "@full" },
  async ({ page, browser }) => {
    await fillTraffic(await signUp(page));
    const console = await openConsole(browser, "grace", "/operator/overview");
    const found: string[] = [];
    const paths = await addresses(console);
    await console.setViewportSize(PHONE);
    for (const path of paths) {
      await openPage(console, path);
      // Styles of components come after the reset, whichever page is loaded first.
      for (const card of await console.locator("main > section, main > * > section").all())
        if (await card.evaluate(isBare)) found.push(`${path} has a bare card`);
      for (const table of await console.locator("main [role=region]:has(table):visible").all())
        if (await table.evaluate((element) => element.scrollWidth > element.clientWidth))
          found.push(`${path}: the table ${await table.getAttribute("aria-label")} scrolls sideways`);
      const sideways = await sidewaysScroll(console);
      if (sideways !== "") found.push(`${path} scrolls sideways, ${sideways}`);
    }
    expect(found).toEqual([]);
  },
);

test("text at twice its size makes no page of the console scroll sideways", { tag: "@full" }, async ({ page, browser }) => {
  await fillTraffic(await signUp(page));
  const console = await openConsole(browser, "grace", "/operator/overview");
  await console.setViewportSize(WIDE);
  const found: string[] = [];
  for (const path of await addresses(console)) {
    await openPage(console, path);
    await console.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
    const sideways = await sidewaysScroll(console);
    if (sideways !== "") found.push(`${path} scrolls sideways, ${sideways}`);
  }
  expect(found).toEqual([]);
});

test("axe finds nothing on any page of the console, light and dark", { tag: "@full" }, async ({ page, browser }) => {
  await signUp(page);
  await ask(page);
  const console = await openConsole(browser, "grace", "/operator/overview");
  const violations = watchForViolations(console);
  const found: string[] = [];
  for (const path of await addresses(console)) {
    await openPage(console, path);
    found.push(...(await faultsOf(console, path)));
  }
  expect(found).toEqual([]);
  expect(violations).toEqual([]);
});

test(
  "axe finds nothing in any form, pane or menu of the console, and none scrolls sideways",
  { tag: "@full" },
  async ({ page, browser }) => {
    test.slow();
    await signUp(page);
    await topUp(page, 20);
    await ask(page);
    const console = await openConsole(browser, "grace", "/operator/overview");
    const [found, tried]: [string[], Set<string>] = [[], new Set()];
    const paths = await addresses(console);
    await console.setViewportSize(PHONE);
    await console.getByRole("button", { name: "More" }).click();
    found.push(...(await faultsInBothThemes(console, "More")));
    for (const path of paths) {
      await openPage(console, path);
      const names = await console
        .locator("main")
        .getByRole("button", { name: OPENERS })
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent));
      for (const name of names) {
        const [kind = ""] = OPENERS.exec(name) ?? [];
        if (tried.has(kind)) continue;
        tried.add(kind);
        await console.locator("main").getByRole("button", { name, exact: true }).first().click();
        found.push(...(await faultsInBothThemes(console, `${path}, ${name}`)));
        const sideways = await sidewaysScroll(console);
        if (sideways !== "") found.push(`${path}, ${name} scrolls sideways, ${sideways}`);
        await console.keyboard.press("Escape");
        await expect(console.locator("dialog[open]")).toHaveCount(0);
      }
      for (const summary of await console.locator("main details:not([open]) > summary:visible").all()) await summary.click();
      found.push(...(await faultsInBothThemes(console, `${path}, with all details open`)));
    }
    expect(tried.size).toBeGreaterThan(10);
    expect(found).toEqual([]);
  },
);

/** A customer's question, which then waits in the queue. */
async function ask(page: Page): Promise<void> {
  const answer = await page.request.post(new URL("/api/cases", page.url()).href, {
    data: { topic: "charge", message: "Why so much?" },
    headers: { authorization: `Bearer ${await tokenOf(page)}` },
  });
  expect(answer.status(), await answer.text()).toBe(201);
}

async function openPage(console: Page, path: string): Promise<void> {
  await open(console, new URL(path, console.url()).href);
  await expect(console.locator("main [data-placeholder]")).toHaveCount(0);
}
