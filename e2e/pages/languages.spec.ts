import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { signUp } from "../support/customer.ts";
import { open } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

test.describe("in a browser that prefers Arabic", () => {
  test.use({ locale: "ar-EG" });

  test("the page is Arabic and right to left before the app's code has run", async ({ page }) => {
    await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort());
    await page.goto("/login");
    await expect(page.locator("html")).toHaveAttribute("lang", "ar");
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  });

  test("the sign-in page is in Arabic and loads no other language's texts", async ({ page }) => {
    const texts: string[] = [];
    page.on("response", (response) => {
      if (/\/assets\/(auth|common)-[^/]*\.js$/.test(response.url())) texts.push(response.url());
    });
    await page.goto("/login");
    await expect(page.getByRole("heading", { name: "سجّل الدخول إلى Farline" })).toBeVisible();
    const loaded = await Promise.all(texts.map(async (url) => await (await page.request.get(url)).text()));
    const foreign = ["Inicia sesión", "Connectez-vous", "साइन इन"];
    expect(loaded.filter((text) => foreign.some((words) => text.includes(words)))).toEqual([]);
  });
});

test("a chosen language is applied at once, remembered, and sent to the service", async ({ page }) => {
  await open(page, "/register");
  await page.getByLabel("Language").selectOption("fr");
  await expect(page.getByRole("heading", { name: "Créez votre compte" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  await open(page, "/register");
  await expect(page.getByRole("heading", { name: "Créez votre compte" })).toBeVisible();
  await page.getByLabel("Langue").selectOption("en");
  await signUp(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Menu" }).click();
  const told = page.waitForRequest((request) => request.method() === "PATCH" && request.url().endsWith("/api/user"));
  await page.getByLabel("Language").selectOption("es");
  expect((await told).postDataJSON()).toEqual({ language: "es" });
  await expect(page.getByRole("button", { name: "Llamar" })).toBeVisible();
  await expect(page.locator("main li b").first()).toContainText("Estados Unidos");
});

test("a chosen theme is applied at once and before the first paint of the next page", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/login");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel("Theme").selectOption("dark");
  await poll(ground).not.toBe(light);
  await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort());
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  expect(await ground()).not.toBe(light);
});
