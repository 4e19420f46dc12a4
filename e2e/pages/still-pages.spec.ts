import { type Browser, type BrowserContextOptions, devices, expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { layoutShiftsOf, watchLayoutShifts } from "../support/layout/shifts.ts";
import { insertPastCalls } from "../support/past-calls.ts";

/** A round trip of a crowded mobile network. What comes late moves a page, however fast it then arrives. */
const NETWORK = { offline: false, latency: 400, downloadThroughput: 400_000, uploadThroughput: 400_000 };
const MAX_SHIFT = 0.05;
const CALLS = 200;
const UNSEEN_CALLS = 5;
const OPEN_LIMIT_MS = 60_000;

interface Opened {
  readonly path: string;
  /** What the page has last. */
  readonly last: (page: Page) => ReturnType<Page["getByText"]>;
}

const VISITOR_PAGES: readonly Opened[] = [
  { path: "/", last: (page) => page.getByRole("heading", { level: 1 }) },
  { path: "/login", last: (page) => page.getByRole("button", { name: "Continue with Google" }) },
  { path: "/register", last: (page) => page.getByRole("button", { name: "Continue with Google" }) },
];
/** Of a customer who has not confirmed the address. */
const CUSTOMER_PAGES: readonly Opened[] = [
  { path: "/dialer", last: (page) => page.getByText("Quick tips") },
  { path: "/contacts", last: (page) => page.getByRole("button", { name: "Send again" }) },
  { path: "/history", last: (page) => page.getByRole("button", { name: "Send again" }) },
  { path: "/topup", last: (page) => page.getByRole("button", { name: "Send again" }) },
];

/** Opens a page over the slow network and waits until it has all its data. Returns what moved more than it may. */
async function open(browser: Browser, { path, last }: Opened, options: BrowserContextOptions): Promise<readonly string[]> {
  const context = await browser.newContext({ ...devices["Pixel 7"], serviceWorkers: "block", ...options });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", NETWORK);
  await watchLayoutShifts(page);
  const running = new Set<unknown>();
  page.on("request", (request) => request.url().endsWith("/api/events") || running.add(request));
  const ended = (request: unknown) => running.delete(request);
  page.on("requestfinished", ended).on("requestfailed", ended);
  await page.goto(path);
  await expect(page.locator("[data-shell]")).toHaveCount(0, { timeout: OPEN_LIMIT_MS });
  await expect(last(page).first()).toBeAttached({ timeout: OPEN_LIMIT_MS });
  await expect.poll(() => running.size).toBe(0);
  const { total, moves } = await layoutShiftsOf(page);
  await context.close();
  return total > MAX_SHIFT ? [`${path} moved by ${total.toFixed(3)}`, ...moves] : [];
}

for (const one of VISITOR_PAGES)
  test(`${one.path} does not move while it opens over a slow network`, async ({ browser, baseURL }) => {
    expect(await open(browser, one, { baseURL })).toEqual([]);
  });

for (const one of CUSTOMER_PAGES)
  test(`${one.path} does not move while it opens over a slow network`, async ({ browser, baseURL, page }) => {
    await signUp(page);
    await giveTestCredit(page, 50);
    expect(await open(browser, one, { baseURL, storageState: await page.context().storageState() })).toEqual([]);
  });

/** Signs up a customer of many calls, whose browser has not seen the newest of them. */
async function seeOlderCalls(page: Page): Promise<void> {
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", await signUp(page), CALLS);
  await page.goto("/history");
  await page.locator("main [aria-posinset]").first().waitFor();
  await page.waitForFunction(() => localStorage.getItem("last-seen")?.includes('"totals"'));
  await page.evaluate((unseen) => {
    const kept = JSON.parse(localStorage.getItem("last-seen") ?? "") as { lists: { calls: { data: unknown[] } } };
    kept.lists.calls.data.splice(0, unseen);
    localStorage.setItem("last-seen", JSON.stringify(kept));
  }, UNSEEN_CALLS);
}

test("the history as it was last seen does not move when the newer calls come", async ({ browser, baseURL, page }) => {
  await seeOlderCalls(page);
  const storageState = await page.context().storageState();
  const opened = { path: "/history", last: (of: Page) => of.getByRole("button", { name: "Show newer" }) };
  expect(await open(browser, opened, { baseURL, storageState })).toEqual([]);
});

test("the key to newer calls leaves the last one free, and is pressed by the keyboard", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await seeOlderCalls(page);
  await page.reload();
  const key = page.getByRole("button", { name: "Show newer" });
  const rows = page.locator("main [aria-posinset]");
  await expect(key).toBeVisible();
  const last = rows.and(page.locator(`[aria-posinset="${CALLS - UNSEEN_CALLS}"]`));
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(last).toBeVisible({ timeout: 100 });
  }).toPass();
  const room = async () =>
    ((await key.boundingBox())?.y ?? 0) - (await last.evaluate((row) => row.getBoundingClientRect().bottom));
  await expect.poll(room).toBeGreaterThan(0);
  expect((await key.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await key.press("Enter");
  await expect(key).toHaveCount(0);
  await expect(rows.first()).toHaveAttribute("aria-posinset", "1");
  await expect(rows.first()).toHaveAttribute("aria-setsize", String(CALLS));
});
