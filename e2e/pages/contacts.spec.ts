import { readFile } from "node:fs/promises";
import { expect, test, type Page } from "@playwright/test";
import { faultsInBothThemes, faultsNow } from "../support/axe.ts";
import { signUp, tokenOf } from "../support/customer.ts";
import { prefer, sidewaysScroll, watchForViolations } from "../support/screens.ts";

const card = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
const toast = (page: Page, text: string) => page.getByRole("region", { name: "Messages" }).getByText(text);

async function fillContact(page: Page, { first, last, number }: { first: string; last: string; number: string }): Promise<void> {
  const form = page.getByRole("dialog");
  await form.getByLabel("First name").fill(first);
  await form.getByLabel("Last name (optional)").fill(last);
  await form.getByLabel("Phone number").fill(number);
}

test("a contact is added, starred, changed, called and deleted", async ({ page }) => {
  const violations = watchForViolations(page);
  await signUp(page);
  await page.goto("/contacts");
  await expect(page.getByText("No Contacts Yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Export" })).toBeDisabled();

  await page.getByRole("button", { name: "Add Contact" }).first().click();
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("First name")).toBeFocused();
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("Enter a first name.")).toBeVisible();
  await fillContact(page, { first: "Kwame", last: "Mensah", number: "020 000 0142" });
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("Choose a country, or type the number with + and its country code.")).toBeVisible();
  await form.getByLabel("Country for numbers without a country code").selectOption("GH");
  await form.getByLabel("Notes (optional)").fill("Brother of Ama");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(toast(page, "Contact added")).toBeVisible();

  const kwame = card(page, "Kwame Mensah");
  await expect(kwame.getByText("+233 20 000 0142")).toBeVisible();
  await expect(kwame.getByText("Ghana")).toBeVisible();
  await expect(kwame.getByText(/^\$0\.\d{4}\/min$/)).toBeVisible();
  await kwame.getByRole("button", { name: "Favorite: Kwame Mensah" }).click();
  await expect(toast(page, "Favorite updated")).toBeVisible();
  await expect(kwame.getByRole("button", { name: "Favorite: Kwame Mensah" })).toHaveAttribute("aria-pressed", "true");

  await kwame.getByRole("button", { name: "Edit Kwame Mensah" }).click();
  await form.getByLabel("Company (optional)").fill("Accra City Bank");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(toast(page, "Contact updated")).toBeVisible();
  await expect(kwame.getByText("Accra City Bank")).toBeVisible();
  await expect(kwame.getByRole("link", { name: "Calls with Kwame Mensah" })).toHaveAttribute(
    "href",
    /^\/history\?contact=[0-9a-f-]{36}$/,
  );

  await page.goto("/contacts?add=%2B442079460000");
  await expect(form.getByLabel("Phone number")).toHaveValue("+442079460000");
  await form.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/contacts$/);

  await kwame.getByRole("button", { name: "Delete Kwame Mensah" }).click();
  await expect(page.getByText("Are you sure you want to delete this contact?")).toBeVisible();
  await expect(form.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await kwame.getByRole("link", { name: "Call Kwame Mensah" }).click();
  await expect(page).toHaveURL(/\/dialer/);
  await expect(page.getByLabel("Phone number")).toHaveValue(/233.*20.*000.*0142/);

  await page.goto("/contacts");
  await kwame.getByRole("button", { name: "Delete Kwame Mensah" }).click();
  await form.getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, "Contact deleted")).toBeVisible();
  await expect(page.getByText("No Contacts Yet")).toBeVisible();
  expect(violations).toEqual([]);
});

const TABLE = [
  "First Name;Last Name;Company;Mobile Phone;Business Phone",
  "Lucía;Fernández;;+525550000142;",
  "Priya;Nair;Nair Textiles;+919800000142;+911140000142",
  "Ola;Nowak;;22 500 01 42;",
  "Nobody;;;;",
].join("\r\n");

test("a file is previewed, imported once, searched through and downloaded again", async ({ page, context }) => {
  const violations = watchForViolations(page);
  await signUp(page);
  await page.goto("/contacts");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await expect(dialog.getByText("Please select a file")).toBeVisible();
  const choice = dialog.locator("input[type=file]");
  await choice.setInputFiles({ name: "people.pdf", mimeType: "application/pdf", buffer: Buffer.from("x") });
  await expect(dialog.getByText("Please select a CSV or vCard (.vcf) file")).toBeVisible();

  await choice.setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(TABLE, "latin1") });
  await expect(dialog.getByText("3 contacts will be imported. 2 are skipped.")).toBeVisible();
  await expect(dialog.getByText("The number has no country code. Choose the country above.")).toBeVisible();
  await expect(dialog.getByText("No phone number.")).toBeVisible();
  await dialog.getByLabel("Country for numbers without a country code").selectOption("PL");
  await expect(dialog.getByText("4 contacts will be imported. 1 is skipped.")).toBeVisible();
  expect(await faultsNow(page, "the preview")).toEqual([]);
  await dialog.getByRole("button", { name: "Import 4 contacts" }).click();
  await expect(toast(page, "Imported 4 contacts from CSV (1 skipped)")).toBeVisible();
  await expect(page.locator(".contact h2")).toHaveText(["Lucía Fernández", "Ola Nowak", "Priya Nair", "Priya Nair"]);

  const search = page.getByRole("searchbox", { name: "Search contacts" });
  await search.fill("fernandez");
  await expect(page.locator(".contact h2")).toHaveText(["Lucía Fernández"]);
  await search.fill("nobody");
  await expect(page.getByText("No contacts found matching your search.")).toBeVisible();
  await search.fill("");
  await expect(page.locator(".contact h2")).toHaveCount(4);

  for (const [format, begin] of [
    ["Table (CSV)", '\uFEFF"first_name","last_name","phone_number"'],
    ["Address cards (vCard)", "BEGIN:VCARD"],
  ] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      context.waitForEvent("page").then((opened) => opened.waitForEvent("download")),
      dialog.getByRole("button", { name: format }).click(),
    ]);
    expect(download.url()).not.toContain(await tokenOf(page));
    const file = await readFile(await download.path(), "utf8");
    expect(file.startsWith(begin)).toBe(true);
    expect(file).toContain("+525550000142");
    await expect(dialog).toHaveCount(0);
  }
  expect(violations).toEqual([]);
});

test("the page with contacts reads well: axe finds nothing in both themes, no language runs over a narrow screen", async ({
  page,
}) => {
  await signUp(page);
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
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
  await expect(page.locator(".contact h2")).toHaveCount(2);
  expect(await faultsInBothThemes(page, "/contacts")).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const language of ["en", "es", "fr", "hi", "ar"]) {
    await prefer(page, { language });
    await page.goto("/contacts");
    await expect(page.locator(".contact")).toHaveCount(2);
    expect(await sidewaysScroll(page), language).toBe("");
    for (const key of await page.locator(".ct__bar .btn, .contact__do .btn").all()) {
      const over = await key.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(over, `${language}: ${await key.textContent()}`).toBeLessThanOrEqual(0);
    }
  }
});
