import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { poll } from "../support/poll.ts";

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
  await poll(() => asked).toContain("/api/calls/live");
  await giveTestCredit(page, 5);
  await expect(page.getByRole("link", { name: "Balance USD $5.00" })).toBeVisible();
  expect(asked.toSorted()).toEqual([
    "/api/billing/balance",
    "/api/billing/balance",
    "/api/calls/caller-id",
    "/api/calls/history",
    "/api/calls/live",
    "/api/contacts",
    "/api/events",
    "/api/rates",
    "/api/user",
  ]);
});

test("a part that fails reloads the page only if the service has another release", async ({ page }) => {
  await signUp(page);
  const part = /\/assets\/contacts-page-[\w-]+\.js$/;
  const isFirstPage = () => page.evaluate(() => "first" in window);
  await page.route(part, (route) => route.abort());
  await page.evaluate(() => Object.assign(window, { first: true }));
  await page.getByRole("link", { name: "Contacts", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Oops! Something went wrong" })).toBeVisible();
  expect(await isFirstPage()).toBe(true);

  await page.goto("/dialer");
  await expect(page.getByLabel("Phone number")).toBeVisible();
  await page.evaluate(() => Object.assign(window, { first: true }));
  await page.route(/\/(?:contacts|dialer)$/, (route) =>
    route.request().resourceType() === "fetch"
      ? route.fulfill({ contentType: "text/html", body: '<script type="module" src="/assets/index-newer.js"></script>' })
      : route.continue(),
  );
  const loaded = page.waitForEvent("load");
  await page.getByRole("link", { name: "Contacts", exact: true }).first().click();
  await loaded;
  expect(await isFirstPage()).toBe(false);
});

test("a page whose script fails says in five languages what to do", async ({ page }) => {
  await page.route(/\/assets\/index-[\w-]+\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: "Promise.none()" }),
  );
  await page.goto("/register");
  const notice = page.locator("[data-unopened]");
  await expect(notice).toBeVisible();
  await expect(notice.getByText("Safari or iOS 16.4, Chrome 111, Firefox 121, Samsung Internet 22")).toBeVisible();
  await expect(notice.locator("p")).toHaveCount(5);
});

test("a browser older than the oldest supported one shows the notice, even if the page opens", async ({ page }) => {
  await page.route("**/register", async (route) => {
    const response = await route.fetch();
    // Such a browser drops the rules that hide the notice. The policy would drop all, because their hash has changed.
    const { "content-security-policy": _policy, ...headers } = response.headers();
    await route.fulfill({
      response,
      headers,
      body: (await response.text()).replace("@media (width >= 0)", "@media (unknown: 0)"),
    });
  });
  await page.goto("/register");
  await expect(page.getByLabel("Full Name")).toBeVisible();
  const notice = page.locator("[data-unopened]");
  await expect(notice).toBeVisible();
  expect(await notice.evaluate((one) => getComputedStyle(one).position)).toBe("static");
});

test("the notice is gone once the page is open", async ({ page }) => {
  await page.goto("/register");
  await expect(page.getByLabel("Full Name")).toBeVisible();
  await expect(page.locator("[data-unopened]")).toHaveCSS("display", "none");
});
