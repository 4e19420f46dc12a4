import { expect, test } from "@playwright/test";
import { giveTestCredit, signUp } from "../support/customer.ts";

test("the frame of a signed-in page is there before the app's code has loaded, in the customer's language", async ({ page }) => {
  await signUp(page);
  await page.context().addCookies([{ name: "language", value: "es", url: page.url() }]);
  await page.evaluate(() => localStorage.setItem("language", "es"));
  await page.route(/\/assets\/index-[\w-]+\.js$/, (route) => route.abort());
  await page.goto("/dialer");
  await expect(page.locator("header").getByText("Farline")).toBeVisible();
  await expect(page.locator("header").getByText("Cerrar sesión")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
});

test("the dialer requests each answer once, and again only what a live event says has changed", async ({ page }) => {
  await signUp(page);
  // Requests that the sign-up page may still send do not count.
  await page.goto("about:blank");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname);
  });
  await page.goto("/dialer");
  await expect(page.getByText("United Kingdom", { exact: true })).toBeVisible();
  await expect.poll(() => asked).toContain("/api/calls/live");
  await giveTestCredit(page, 5);
  await expect(page.getByRole("link", { name: "Balance USD $5.00. Top up" })).toBeVisible();
  expect(asked.toSorted()).toEqual([
    "/api/billing/balance",
    "/api/billing/balance",
    "/api/calls/caller-id",
    "/api/calls/history",
    "/api/calls/live",
    "/api/config",
    "/api/contacts",
    "/api/events",
    "/api/rates",
    "/api/user",
  ]);
});
