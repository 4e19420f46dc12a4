import { expect, test } from "@playwright/test";
import { signUp } from "../support/customer.ts";

/** Every file of the app goes by this name's start or comes after it. */
const APP = /\/assets\/index-[\w-]+\.js$/;

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
  await page.goto("/dialer", { waitUntil: "commit" });
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
