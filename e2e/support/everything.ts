import { test as base, type Page } from "@playwright/test";
import { giveTestCredit, signUp, topUp } from "./customer.ts";
import { giveContacts } from "./layout/states.ts";
import { endCall, startCall, watchForViolations } from "./screens.ts";

/** A signed-in customer with something to show on every page, in a browser that stays open for all tests of the worker. */
export interface Everything {
  readonly page: Page;
  readonly email: string;
  /** The paths of all their pages, with an id or payment where the path needs one. */
  readonly paths: readonly string[];
  /** Content security policy violations and uncaught errors that the browser reported. */
  readonly violations: readonly string[];
}

/** Tests that share one customer, because creating one takes a payment and a call. They clean up after themselves. */
export const test = base.extend<object, { everything: Everything }>({
  everything: [
    async ({ browser }, use) => {
      const context = await browser.newContext({
        baseURL: process.env["PRODUCT_URL"] ?? "",
        permissions: ["microphone"],
        serviceWorkers: "block",
      });
      const page = await context.newPage();
      const violations = watchForViolations(page);
      await use({ page, violations, ...(await customerWithEverything(page)) });
      await context.close();
    },
    { scope: "worker" },
  ],
});

/** Signs up and creates one of each: payment, receipt, contact, call. */
async function customerWithEverything(page: Page): Promise<Pick<Everything, "email" | "paths">> {
  const email = await signUp(page);
  await topUp(page, 10);
  const success = new URL(page.url());
  await giveTestCredit(page, 5);
  await giveContacts(page);
  await startCall(page);
  await endCall(page);
  await page.goto("/billing");
  const receipt = await hrefOf(page, 'a[href^="/billing/receipts/"]');
  await page.goto("/history");
  const call = await hrefOf(page, 'a[href^="/call/"]');
  return {
    email,
    paths: [
      "/dashboard",
      "/dialer",
      "/contacts",
      "/history",
      "/history?status=completed&country=GB&from=2020-01-01",
      call,
      "/call/00000000-0000-4000-8000-000000000000",
      "/topup",
      "/billing",
      receipt,
      `${success.pathname}${success.search}`,
      "/billing/cancel",
      "/rates",
      "/account",
      "/account/erase",
      "/family",
      "/account/export",
      "/cases",
      call.replace("/call/", "/cases/new?call="),
    ],
  };
}

async function hrefOf(page: Page, link: string): Promise<string> {
  return (await page.locator(link).first().getAttribute("href")) ?? "";
}
