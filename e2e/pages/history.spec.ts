import { languages } from "@farline/domain/languages.ts";
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { enter, signUp } from "../support/customer.ts";
import { insertPastCalls } from "../support/past-calls.ts";
import { prefer, sidewaysScroll, watchForViolations } from "../support/screens.ts";

const CALLS = 1_200;
/** Distance per scroll: about two screens. */
const SCROLL_PX = 1_600;

const rows = (page: Page) => page.locator("main [aria-posinset]");
const total = (page: Page) => page.locator("main [role=status] > strong");

/** Inserts the calls directly into the product's database. */
async function givePast(email: string): Promise<void> {
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", email, CALLS);
}

test("a long history scrolls to its first call, with few rows in the page, and can be filtered and downloaded", async ({
  page,
}) => {
  const violations = watchForViolations(page);
  await givePast(await signUp(page));
  await page.goto("/history");
  await expect(total(page)).toHaveText("1,200 calls");
  await expect(rows(page).first()).toHaveAttribute("aria-posinset", "1");
  // The test's own time-out ends a list that does not.
  while ((await rows(page).last().getAttribute("aria-posinset")) !== String(CALLS)) {
    for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, SCROLL_PX);
    expect(await rows(page).count()).toBeLessThan(60);
  }

  await page.getByLabel("Country", { exact: true }).selectOption({ label: "Ghana" });
  await expect(page).toHaveURL(/country=GH/);
  await page.getByLabel("Status", { exact: true }).selectOption("failed");
  await expect(page).toHaveURL(/country=GH&status=failed/);
  await expect(rows(page).first()).toContainText("Ghana");
  await expect(rows(page).first()).toContainText(/no answer|busy|cancelled/i);
  await page.reload();
  await expect(page.getByLabel("Country", { exact: true })).toHaveValue("GH");
  await expect(total(page)).toHaveText(/^\d+ calls?$/);
  const shown = Number((await total(page).textContent())?.split(" ")[0]);
  expect(shown).toBeGreaterThan(0);

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await (await downloading).path();
  const lines = readFileSync(file, "utf8").trim().split("\r\n");
  expect(lines).toHaveLength(shown + 1);
  expect(lines.slice(1).every((line) => line.includes('"Ghana"') && !line.includes('"failed"'))).toBe(true);

  await enter(page.getByLabel("Search"), "no such name");
  await expect(page.getByText("No call matches this filter.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filter" }).first().click();
  await expect(total(page)).toHaveText("1,200 calls");
  expect(violations).toEqual([]);
});

test(
  "the dashboard shows balance, calls and their results, and the bar has room for six links in every language",
  { tag: "@full" },
  async ({ page }) => {
    const violations = watchForViolations(page);
    await page.setViewportSize({ width: 1024, height: 768 });
    const email = await signUp(page);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).click();
    await expect(page.getByRole("heading", { name: "Hello, Grace Mensah" })).toBeVisible();
    await expect(page.getByText("No calls yet. Start making calls!")).toBeVisible();
    await givePast(email);
    await page.goto("/dashboard");
    await expect(page.getByRole("region", { name: "Total calls" })).toContainText("1,200");
    await expect(page.getByRole("region", { name: "Recent calls" }).getByRole("listitem")).toHaveCount(5);
    await page.getByRole("button", { name: "Minutes" }).click();
    await expect(page.getByRole("region", { name: "By month" }).locator("p").first()).toContainText(/[\d,]+ min/);
    await page.getByText("Show figures").click();
    await expect(page.locator("main tbody tr")).toHaveCount(12);
    for (const language of languages) {
      await prefer(page, { language });
      await page.reload();
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      await expect(page.getByRole("banner").locator("nav a")).toHaveCount(6);
      expect(await sidewaysScroll(page), language).toBe("");
    }
    expect(violations).toEqual([]);
  },
);
