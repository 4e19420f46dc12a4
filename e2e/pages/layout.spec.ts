import type { Language } from "@farline/domain/languages.ts";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { appBarFaults } from "../support/layout/app-bar-faults.ts";
import { query } from "../support/books.ts";
import { signUp } from "../support/customer.ts";
import { largeTextFaults, layoutFaults } from "../support/layout/faults.ts";
import {
  enlargeText,
  giveContacts,
  giveLongNameAndBalance,
  LANGUAGES,
  speak,
  TEXT_SIZES,
  WIDTHS,
} from "../support/layout/states.ts";
import { insertPastCalls } from "../support/past-calls.ts";
import { open, prefer } from "../support/screens.ts";
import { MENU } from "../support/parts.ts";

/** Widths at which the app bar shows all its links. */
const BAR_WIDTHS = [1024, 1119, 1216, 1440, 1920];
const HEIGHT = 800;
/** Phones are where large text breaks first. */
const PHONES = [360, 390];
const LARGE_TEXT_WIDTHS = [...PHONES, 768, 1024, 1440, 1920];
const PAST_CALLS = 30;

const customerPaths = [
  "/dashboard",
  "/dialer",
  "/contacts",
  "/history",
  "/topup",
  "/billing",
  "/rates",
  "/account",
  "/account/erase",
  "/family",
  "/account/export",
  "/cases",
  "/cases/new",
];
const visitorPaths = [
  "/",
  "/rates",
  "/rates/ghana",
  "/rates/compare?a=ghana&b=india",
  "/quality",
  "/help",
  "/login",
  "/register",
  "/forgot-password",
];

/** A customer with a long name, balance, contacts and call list. @returns the address */
async function longCustomer(page: Page): Promise<string> {
  const email = await signUp(page);
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", email, PAST_CALLS);
  await giveContacts(page);
  await giveLongNameAndBalance(page, email);
  return email;
}

/** The layout faults of the open page at these widths. */
async function atWidths(page: Page, where: string, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    found.push(...(await layoutFaults(page, where)));
  }
  return found;
}

async function faultsOfPages(
  page: Page,
  paths: readonly string[],
  languages: readonly Language[],
  widths: readonly number[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await open(page, path);
    for (const language of languages) {
      await speak(page, language);
      found.push(...(await atWidths(page, `${path} in ${language}`, widths)));
    }
  }
  return found;
}

/** Shows a visitor the public pages in a language. */
async function readIn(page: Page, language: Language): Promise<void> {
  await page.goto("/robots.txt");
  await prefer(page, { language });
  await page.context().addCookies([{ name: "language", value: language, url: page.url() }]);
}

async function faultsOfVisitorPages(page: Page, languages: readonly Language[], widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const language of languages) {
    await readIn(page, language);
    for (const path of visitorPaths) {
      await open(page, path);
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      found.push(...(await atWidths(page, `${path} in ${language}`, widths)));
    }
  }
  return found;
}

/** The pages that scroll horizontally at large text sizes. */
async function faultsOfLargeText(
  page: Page,
  paths: readonly string[],
  sizes: readonly number[],
  widths: readonly number[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await open(page, path);
    for (const size of sizes) {
      await enlargeText(page, size);
      for (const width of widths) {
        await page.setViewportSize({ width, height: HEIGHT });
        found.push(...(await largeTextFaults(page, `${path} at ${size} %`)));
      }
    }
  }
  return found;
}

async function faultsOfAppBar(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const language of LANGUAGES) {
    await speak(page, language);
    for (const width of BAR_WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      found.push(...(await appBarFaults(page, language)));
    }
  }
  return found;
}

test("with a long name and a five-digit balance the app bar and the pages with most amounts keep their layout", async ({
  page,
}) => {
  await longCustomer(page);
  await open(page, "/billing");
  const found = await faultsOfAppBar(page);
  found.push(...(await faultsOfPages(page, ["/contacts", "/topup"], ["ar"], [360, 1024])));
  found.push(...(await faultsOfPages(page, ["/dialer", "/dashboard"], ["ar", "hi"], [390, 1440])));
  found.push(...(await faultsOfPages(page, ["/billing", "/history"], ["fr"], [360, 1024])));
  expect(found).toEqual([]);
});

test("nothing overlaps, is clipped or wraps mid-word on any signed-in page", { tag: "@full" }, async ({ page }) => {
  const email = await longCustomer(page);
  const found = await faultsOfPages(page, customerPaths, LANGUAGES, WIDTHS);
  await page.setViewportSize({ width: 360, height: HEIGHT });
  await page.locator(MENU).click();
  for (const language of LANGUAGES) {
    await speak(page, language);
    found.push(...(await atWidths(page, `the open menu in ${language}`, [360, 768])));
  }
  await query("update customer set closes_at = now() + interval '14 days' where email = $1", [email]);
  found.push(...(await faultsOfPages(page, ["/dialer", "/dashboard", "/topup", "/account/erase"], LANGUAGES, WIDTHS)));
  expect(found).toEqual([]);
});

test("nothing overlaps, is clipped or wraps mid-word on any visitor's page", { tag: "@full" }, async ({ page }) => {
  expect(await faultsOfVisitorPages(page, LANGUAGES, WIDTHS)).toEqual([]);
});

test("a public page does not scroll horizontally at 200 % text size", async ({ page }) => {
  expect(await faultsOfLargeText(page, ["/rates"], [200], PHONES)).toEqual([]);
});

test("no page scrolls horizontally on any screen at any large text size", { tag: "@full" }, async ({ page }) => {
  const found: string[] = [];
  // French has the longest words and sentences.
  for (const language of ["fr", "en"] as const) {
    await readIn(page, language);
    found.push(...(await faultsOfLargeText(page, visitorPaths, TEXT_SIZES, LARGE_TEXT_WIDTHS)));
  }
  const email = await signUp(page);
  await insertPastCalls(process.env["PRODUCT_DATABASE_URL"] ?? "", email, PAST_CALLS);
  await giveContacts(page);
  found.push(...(await faultsOfLargeText(page, customerPaths, TEXT_SIZES, LARGE_TEXT_WIDTHS)));
  expect(found).toEqual([]);
});

test("the layout check finds a planted overlap, clipped button, wrapped time and long placeholder", async ({ page }) => {
  await page.setContent(`<main><button>One</button> <input placeholder="A number"> <p>10:15 PM</p></main>`);
  expect(await atWidths(page, "as it is", [360])).toEqual([]);
  const plants: Record<string, string> = {
    overlaps: `<div><button>One</button><button style="margin-inline-start: -20px">Two</button></div>`,
    "is cut": `<div style="overflow: hidden; height: 20px"><button style="height: 44px">Cut</button></div>`,
    "outside the screen": `<button style="position: absolute; left: 340px; width: 60px">Out</button>`,
    sticks: `<button style="width: 60px; white-space: nowrap">Much too long</button>`,
    "is broken over lines": `<p style="width: 55px">10:15 PM</p>`,
    "wider than its field": `<input placeholder="Number, name or country" style="width: 80px">`,
  };
  for (const [fault, html] of Object.entries(plants)) {
    await page.setContent(`<meta name="viewport" content="width=device-width"><main>${html}</main>`);
    expect((await atWidths(page, "planted", [360])).join("\n")).toContain(fault);
  }
});
