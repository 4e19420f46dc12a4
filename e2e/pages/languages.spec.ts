import { expect, test } from "@playwright/test";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { open, prefer, startCall, TONE_LINE, watchForViolations } from "../support/screens.ts";

test.describe("in a browser that prefers Arabic", () => {
  test.use({ locale: "ar-EG" });

  test("the page is Arabic and runs from right to left before any of the app's code has run", async ({ page }) => {
    await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort());
    await page.goto("/login");
    await expect(page.locator("html")).toHaveAttribute("lang", "ar");
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  });

  test("the sign-in page is in Arabic and loads the texts of no other language than its own", async ({ page }) => {
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

  test("money, the number and the timer keep their order, in Latin digits", async ({ page }) => {
    const violations = watchForViolations(page);
    await page.goto("/login");
    await prefer(page, { language: "en" });
    await signUp(page);
    await giveTestCredit(page, 5);
    await prefer(page, { language: "ar" });
    await open(page, "/dialer");
    await expect(page.locator(".pill")).toHaveText(/\$5\.00/);
    await startCall(page);
    await expect(page.locator(".call__timer")).toHaveText(/\d\d:\d\d/);
    await expect(page.locator(".call__who")).toHaveText(/\u2066\+44 20 7946 0001\u2069/);
    const order = await page.locator(".call__who").evaluate((element) => {
      const range = document.createRange();
      const text = element.firstChild as Text;
      const at = (mark: string) => {
        const from = text.data.indexOf(mark);
        range.setStart(text, from);
        range.setEnd(text, from + mark.length);
        return range.getBoundingClientRect().left;
      };
      return [at("+44"), at("7946"), at("0001")];
    });
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(violations).toEqual([]);
  });
});

test("a language chosen by hand is spoken at once, remembered, and told to the service", async ({ page }) => {
  await page.goto("/register");
  await page.getByLabel("Language").selectOption("fr");
  await expect(page.getByRole("heading", { name: "Créez votre compte" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Créez votre compte" })).toBeVisible();
  await page.getByLabel("Langue").selectOption("en");
  await signUp(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Menu" }).click();
  const told = page.waitForRequest((request) => request.method() === "PATCH" && request.url().endsWith("/api/user"));
  await page.getByLabel("Language").selectOption("es");
  expect((await told).postDataJSON()).toEqual({ language: "es" });
  await expect(page.getByRole("button", { name: "Llamar" })).toBeVisible();
  await expect(page.locator(".dest").first()).toContainText("Estados Unidos");
});

test("a theme chosen by hand is worn at once and before the first paint of the next page", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/login");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel("Theme").selectOption("dark");
  await expect.poll(ground).not.toBe(light);
  await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort());
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  expect(await ground()).not.toBe(light);
});

test("on a phone in a call, messages leave status, name and number in sight, and go when they are no longer true", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page.getByText(/^Calling \+44/)).toBeHidden();
  await page.getByRole("button", { name: "Mute" }).click();
  const toast = page.locator(".toast").first();
  await expect(toast).toBeVisible();
  // It stays under the pointer.
  await toast.hover();
  const places = () =>
    page.evaluate(() => {
      const box = (part: string) => document.querySelector(part)?.getBoundingClientRect();
      const message = box(".toast");
      const covered = [".call__status", ".call__who", ".call__num"].filter(
        (part) => (box(part)?.bottom ?? Infinity) > (message?.top ?? 0),
      );
      return { covered, isInPlace: (message?.left ?? Infinity) < 30 };
    });
  await expect.poll(places).toEqual({ covered: [], isInPlace: true });
});
