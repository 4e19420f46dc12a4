import { get } from "node:http";
import type { Page } from "@playwright/test";
import { withSignedInPage } from "./with-product.ts";

const BUSY_LINE = "+442079460486";
/** Longer than any of the page's background requests take on an idle machine. */
const SETTLE_MS = 4000;

/**
 * The JavaScript that a signed-in customer's dialer loads with an empty cache: once the page is idle, and once the first
 * pointer move has loaded the phone engine. Counts each script's body as sent to a browser that accepts gzip.
 * The budgets are in `tools/check-bundle.ts`.
 */
export async function bundle(): Promise<Record<string, unknown>> {
  return await withSignedInPage(
    5,
    async ({ page, product }) => {
      await callOnce(page);
      // Requests still running on the previous page do not count.
      await page.goto("about:blank");
      const scripts = collectScripts(page);
      await page.goto(`${product.url}/dialer`);
      await page.getByRole("button", { name: "Call Now" }).waitFor();
      await page.waitForTimeout(SETTLE_MS);
      const before = await compressedBytes(scripts);
      const line = page.waitForEvent("websocket");
      const meantAtMs = performance.now();
      await page.mouse.move(300, 300);
      await line;
      const lineOpensAfterMs = Math.round(performance.now() - meantAtMs);
      await page.waitForTimeout(SETTLE_MS);
      const after = await compressedBytes(scripts);
      return {
        idleBytes: before.total,
        withEngineBytes: after.total,
        lineOpensAfterMs,
        scripts: after.each,
      };
    },
    { serviceWorkers: "block" },
  );
}

/** Adds an entry to the list of recent calls, which all but the newest customers have. */
async function callOnce(page: Page): Promise<void> {
  await page.getByLabel("Phone number").fill(BUSY_LINE);
  await page.getByRole("button", { name: "Call Now" }).click();
  await page.getByText("The line was busy.").first().waitFor();
}

/** The URLs of the scripts that the page loads from now on. */
function collectScripts(page: Page): Set<string> {
  const scripts = new Set<string>();
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.add(response.url());
  });
  return scripts;
}

async function compressedBytes(urls: ReadonlySet<string>): Promise<{ total: number; each: Record<string, number> }> {
  const each: Record<string, number> = {};
  for (const url of urls) each[new URL(url).pathname] = await bodyBytes(url);
  const total = Object.values(each).reduce((sum, bytes) => sum + bytes, 0);
  return { total, each: Object.fromEntries(Object.entries(each).toSorted(([, a], [, b]) => b - a)) };
}

/** The compressed size: a client that decompresses would count bytes that are never transferred. The smallest files are sent as is. */
function bodyBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(bytes);
        else reject(new Error(`${url} answered ${answer.statusCode}.`));
      });
    }).on("error", reject);
  });
}
