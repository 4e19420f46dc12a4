import { expect, test } from "@playwright/test";
import { signUp } from "../support/customer.ts";

/** Every file of the app goes by this name's start or comes after it. */
const APP = /\/assets\/index-[\w-]+\.js$/;

test("the dialer's outline stands until the app is there, in the reader's language, and nobody can press it", async ({
  page,
}) => {
  await signUp(page);
  await page.evaluate(() => localStorage.setItem("language", "es"));
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(APP, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/dialer");
  const outline = page.locator("#root > .opening");
  await expect(outline).toContainText("Farline no puede llamar a números de emergencia");
  expect(await outline.evaluate((element: HTMLElement) => element.inert)).toBe(true);
  await expect(page.getByRole("heading")).toHaveCount(0);

  release();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(outline).toHaveCount(0);
  await page.getByRole("button", { name: /^5/ }).click();
  await expect(page.locator('input[type="tel"]').first()).toHaveValue("5");
  await expect.poll(() => page.locator("select option").count()).toBeGreaterThan(200);
});

test("a visitor of the dialer's address sees no outline, and the sign-in page", async ({ page }) => {
  await page.route(APP, (route) => route.abort());
  await page.goto("/dialer");
  await expect(page.locator("#root")).toBeEmpty();
  await page.unroute(APP);
  await page.goto("/dialer");
  await expect(page).toHaveURL(/\/login$/);
});

test("what the dialer shows is asked for before the app's code has come, and once", async ({ page }) => {
  await signUp(page);
  // What the page of the sign-up may still ask for does not count.
  await page.goto("about:blank");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(APP, async (route) => {
    await released;
    await route.continue();
  });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname);
  });
  await page.goto("/dialer");
  await expect.poll(() => asked).toContain("/api/rates");
  // Old answers are asked for anew: on a slow machine the code would come too late for these.
  await page.evaluate(() => {
    (window as unknown as { earlyAnswers: { askedAtMs: number } }).earlyAnswers.askedAtMs = performance.now();
  });
  release();
  await expect(page.getByText("United Kingdom", { exact: true })).toBeVisible();
  expect(asked.filter((path) => path === "/api/rates")).toHaveLength(1);
  expect(asked.filter((path) => path === "/api/config")).toHaveLength(1);
});
