import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { signUp } from "../support/customer.ts";
import { watchForViolations } from "../support/screens.ts";
import { poll } from "../support/poll.ts";

test.use({ serviceWorkers: "allow" });

test("the app can be installed: name, start, icons", async ({ page }) => {
  await page.goto("/login");
  const href = await page.locator('link[rel="manifest"]').getAttribute("href");
  const answer = await page.request.get(href ?? "");
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = (await answer.json()) as {
    name: string;
    start_url: string;
    icons: { src: string; sizes: string; purpose?: string }[];
  };
  expect(manifest).toMatchObject({ name: "Farline", start_url: "/dialer" });
  expect(manifest.icons.some((icon) => icon.purpose === "maskable")).toBe(true);
  for (const icon of manifest.icons) {
    const size = await page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, icon.src);
    expect(size).toBe(icon.sizes);
  }
});

test("offline the app opens, says that it is offline, and has cached no service response", async ({ page, context }) => {
  const violations = watchForViolations(page);
  await signUp(page);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.reload();
  await poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();

  await context.setOffline(true);
  await page.goto("/dialer");
  await expect(page.getByText("You are offline.", { exact: true })).toBeVisible();
  await expect(page.getByRole("banner")).toBeVisible();
  await page.goto("/billing");
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();

  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()));
    return requests.flat().map((request) => new URL(request.url).pathname);
  });
  expect(kept).toContain("/index.html");
  expect(kept.filter((path) => path !== "/index.html" && !path.startsWith("/assets/"))).toEqual([]);

  await context.setOffline(false);
  await expect(page.getByRole("heading", { name: "Billing and Balance" })).toBeVisible();
  expect(violations).toEqual([]);
});

test("scripts cannot create trusted addresses: only the workers' addresses are accepted", async ({ page }) => {
  await page.goto("/login");
  const refused = await page.evaluate(() => {
    const { trustedTypes } = window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } };
    try {
      trustedTypes.createPolicy("anything", { createScriptURL: (url: string) => url });
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toBe(true);
});
