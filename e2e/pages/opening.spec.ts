import { expect, test } from "@playwright/test";
import { giveTestCredit, signUp } from "../support/customer.ts";

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
    "/api/events",
    "/api/rates",
    "/api/user",
  ]);
});
