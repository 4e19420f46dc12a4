import { expect, test } from "@playwright/test";
import { signUp } from "../support/customer.ts";

/** The app's entry script; all its other files load after it. */
const APP = /\/assets\/index-[\w-]+\.js$/;

test("the dialer's data is requested before the app's code has loaded, and once", async ({ page }) => {
  await signUp(page);
  // Requests that the sign-up page may still send do not count.
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
  // Old responses are discarded: on a slow machine the code would load too late for these.
  await page.evaluate(() => {
    (window as unknown as { earlyAnswers: { askedAtMs: number } }).earlyAnswers.askedAtMs = performance.now();
  });
  release();
  await expect(page.getByText("United Kingdom", { exact: true })).toBeVisible();
  expect(asked.filter((path) => path === "/api/rates")).toHaveLength(1);
  expect(asked.filter((path) => path === "/api/config")).toHaveLength(1);
});
