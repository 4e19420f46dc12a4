import { languages } from "@farline/domain/languages.ts";
import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsInBothThemes, faultsNow } from "../support/axe.ts";
import { enter, sessionHeaders, signUp, tokenOf } from "../support/customer.ts";
import { prefer, sidewaysScroll, watchForViolations } from "../support/screens.ts";

const toast = (page: Page, text: string) => page.getByRole("region", { name: "Messages" }).getByText(text);

const rows = (page: Page) => page.locator("main li > button bdi");

/** Import or export, behind the dots. */
async function openFiles(page: Page, name: "Import" | "Export"): Promise<void> {
  await page.getByRole("button", { name: "More: Import, Export" }).click();
  await page.getByRole("button", { name, exact: true }).click();
}

const TABLE = [
  "First Name;Last Name;Company;Mobile Phone;Business Phone",
  "Lucía;Fernández;;+525550000142;",
  "Priya;Nair;Nair Textiles;+919800000142;+911140000142",
  "Ola;Nowak;;22 500 01 42;",
  "Nobody;;;;",
].join("\r\n");

test("a file is previewed, imported once, searched and exported", async ({ page }) => {
  const violations = watchForViolations(page);
  await signUp(page);
  await page.goto("/contacts");
  await openFiles(page, "Import");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await expect(dialog.getByText("Please select a file")).toBeVisible();
  const choice = dialog.locator("input[type=file]");
  await choice.setInputFiles({ name: "people.pdf", mimeType: "application/pdf", buffer: Buffer.from("x") });
  await expect(dialog.getByText("Please select a CSV or vCard (.vcf) file")).toBeVisible();

  await choice.setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(TABLE, "latin1") });
  await expect(dialog.getByText("2 contacts will be imported. 2 are skipped.")).toBeVisible();
  await expect(dialog.getByText("The number has no country code. Choose the country above.")).toBeVisible();
  await expect(dialog.getByText("No phone number.")).toBeVisible();
  await dialog.getByLabel("Country for numbers without a country code").selectOption("PL");
  await expect(dialog.getByText("3 contacts will be imported. 1 is skipped.")).toBeVisible();
  expect(await faultsNow(page, "the preview")).toEqual([]);
  await dialog.getByRole("button", { name: "Import 3 contacts" }).click();
  await expect(toast(page, "Imported 3 contacts from CSV (1 skipped)")).toBeVisible();
  await expect(rows(page)).toHaveText(["Lucía Fernández", "Ola Nowak", "Priya Nair"]);

  const search = page.getByRole("searchbox", { name: "Search contacts" });
  await enter(search, "fernandez");
  await expect(rows(page)).toHaveText(["Lucía Fernández"]);
  await enter(search, "nobody");
  await expect(page.getByText("No contacts found matching your search.")).toBeVisible();
  await enter(search, "");
  await expect(rows(page)).toHaveCount(3);

  for (const [format, begin] of [
    ["Table (CSV)", '\uFEFF"First name","Last name","Phone number"'],
    ["Table for other apps (CSV, in English)", '\uFEFF"first_name","last_name","phone_number"'],
    ["Address cards (vCard)", "BEGIN:VCARD"],
  ] as const) {
    await openFiles(page, "Export");
    const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: format }).click()]);
    expect(download.url()).not.toContain(await tokenOf(page));
    const file = await readFile(await download.path(), "utf8");
    expect(file.startsWith(begin)).toBe(true);
    expect(file).toContain("+525550000142");
    await expect(dialog).toHaveCount(0);
  }
  expect(violations).toEqual([]);
});

test(
  "axe finds nothing on the contacts page in both themes, and no language overflows a narrow screen",
  { tag: "@full" },
  async ({ page }) => {
    await signUp(page);
    const headers = await sessionHeaders(page);
    const people = [
      {
        first_name: "Bartholomew-Maximilian",
        last_name: "Featherstonehaugh-Cholmondeley",
        phone_number: "+442079460000",
        favorite: true,
      },
      { first_name: "حسن", last_name: "الأمين", company: "مكتب", phone_number: "+97145000142", phone_number_type: "work" },
    ];
    for (const data of people) expect((await page.request.post("/api/contacts", { data, headers })).status()).toBe(201);
    await page.goto("/contacts");
    await expect(rows(page)).toHaveCount(2);
    expect(await faultsInBothThemes(page, "/contacts")).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    for (const language of languages) {
      await prefer(page, { language });
      await page.goto("/contacts");
      await expect(rows(page)).toHaveCount(2);
      expect(await sidewaysScroll(page), language).toBe("");
      for (const key of await page.locator("main :has(> h1) > button, main li > button").all()) {
        const over = await key.evaluate((element) => element.scrollWidth - element.clientWidth);
        expect(over, `${language}: ${await key.textContent()}`).toBeLessThanOrEqual(0);
      }
    }
  },
);
