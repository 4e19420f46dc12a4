import type { Language } from "@farline/domain/languages.ts";
import { expect, type Page } from "@playwright/test";
import { query } from "../books.ts";
import { sessionHeaders } from "../customer.ts";
import { LANGUAGE_CHOICE, PREFERENCES } from "../parts.ts";
import { TONE_LINE } from "../phone-network.ts";

export { languages as LANGUAGES } from "@farline/domain/languages.ts";
export const WIDTHS = [360, 390, 768, 1024, 1440] as const;

const LONG_NAME = "Maria-Alejandra Fernandez de la Vega Sanchez";
/** Maximum test credit per request. */
const TEST_CREDIT = 100;
/** 101 x $100: five digits before the decimal point. */
const TEST_CREDITS = 101;
const AT_ONCE = 10;

/** Large text sizes that every page must support, in per cent. */
export const TEXT_SIZES = [130, 150, 200] as const;

/** Sets the size of all text on the open page, as a browser's own setting does. 100 is the default. */
export async function enlargeText(page: Page, percent: number): Promise<void> {
  await page.evaluate((size) => {
    document.documentElement.style.fontSize = `${size}%`;
  }, percent);
}

/** Gives a customer a long name and a balance of five digits. */
export async function giveLongNameAndBalance(page: Page, email: string): Promise<void> {
  await query("update customer set name = $1 where email = $2", [LONG_NAME, email]);
  const headers = await sessionHeaders(page);
  for (let given = 0; given < TEST_CREDITS; given += AT_ONCE) {
    const requests = Array.from({ length: Math.min(AT_ONCE, TEST_CREDITS - given) }, () =>
      page.request.post("/api/billing/test-credit", { data: { amount: TEST_CREDIT }, headers }),
    );
    for (const answer of await Promise.all(requests)) expect(answer.ok()).toBe(true);
  }
}

/** Contacts for the called line, in both directions of writing, and with long names and every field filled in. */
export async function giveContacts(page: Page): Promise<void> {
  const headers = await sessionHeaders(page);
  const people = [
    { first_name: "Tone", last_name: "Line", phone_number: TONE_LINE, favorite: true },
    { first_name: "حسن", last_name: "الأمين", company: "مكتب", phone_number: "+233200000142", phone_number_type: "work" },
    {
      first_name: "Maria-Alejandra",
      last_name: "Fernandez de la Vega",
      company: "Ministerio de Asuntos Exteriores",
      phone_number: "+97145000142",
      other_numbers: [{ phone_number: "+971500000142", phone_number_type: "work" }],
      notes: "Ramadan: after eight",
    },
  ];
  for (const data of people) expect((await page.request.post("/api/contacts", { data, headers })).status()).toBe(201);
}

/** Chooses the language with the page's own select, without a reload. The app bar of a wide screen has it on every page. */
export async function speak(page: Page, language: Language): Promise<void> {
  const html = page.locator("html");
  if ((await html.getAttribute("lang")) === language) return;
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const key = page.locator(PREFERENCES);
  if (await key.isVisible()) await key.click();
  await page.locator(LANGUAGE_CHOICE).first().selectOption(language);
  await expect(html).toHaveAttribute("lang", language);
  if (await key.isVisible()) await page.keyboard.press("Escape");
  if (size !== null) await page.setViewportSize(size);
}
