import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchOptions } from "@farline/e2e/support/browser.ts";
import { giveTestCredit, signUp } from "@farline/e2e/support/customer.ts";
import { chromium } from "@playwright/test";
import lighthouse, { type Result } from "lighthouse";
import { withBrowser, withProduct } from "./with-product.ts";

const RUNS = 5;
const PAGES = { landing: "/", rates: "/rates", country: "/rates/ghana" } as const;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
/** First port for the browser's control protocol. */
const FIRST_PORT = 9_400;

/**
 * Lighthouse on the public pages as a visitor and on a customer's dialer: mobile, default simulated throttling, empty cache,
 * medians of five runs. `bytes` is everything transferred and `scriptBytes` its scripts, both compressed. `benchmarkIndex` is
 * the machine's speed at the time: results from a busy machine are not comparable.
 */
export async function lighthousePages(): Promise<Record<string, unknown>> {
  const port = FIRST_PORT + Math.floor(Math.random() * 500);
  return withProduct(({ url }) =>
    withBrowser(async () => {
      const figures: Record<string, unknown> = {};
      for (const [name, path] of Object.entries(PAGES)) {
        await fetch(url + path); // warm up: a page's first render is slower
        const runs: Figures[] = [];
        for (let run = 0; run < RUNS; run++) runs.push(await measure(url + path, { port }));
        figures[name] = medians(runs);
      }
      return { ...figures, dialer: await signedInDialer(url) };
    }, `--remote-debugging-port=${port}`),
  );
}

/** Uses its own browser, whose storage holds the session, because Lighthouse opens its own page. */
async function signedInDialer(url: string): Promise<Figures> {
  const profile = mkdtempSync(join(tmpdir(), "farline-lighthouse-"));
  const port = FIRST_PORT + 500 + Math.floor(Math.random() * 500);
  const context = await chromium.launchPersistentContext(profile, launchOptions(`--remote-debugging-port=${port}`));
  try {
    const page = await context.newPage();
    await signUp(page, url);
    await giveTestCredit(page, 5);
    await page.goto(`${url}/dialer`);
    const devtools = await context.newCDPSession(page);
    const runs: Figures[] = [];
    for (let run = 0; run < RUNS; run++) {
      // Clears everything except the session: an empty cache, and no worker that responds for the service.
      await devtools.send("Network.clearBrowserCache");
      await devtools.send("Storage.clearDataForOrigin", { origin: url, storageTypes: "service_workers,cache_storage" });
      runs.push(await measure(`${url}/dialer`, { port, disableStorageReset: true }));
    }
    return medians(runs);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

type Figures = Readonly<Record<string, number>>;

async function measure(url: string, where: { port: number; disableStorageReset?: boolean }): Promise<Figures> {
  const outcome = await lighthouse(url, { ...where, output: "json", logLevel: "error", onlyCategories: [...CATEGORIES] });
  if (outcome === undefined) throw new Error(`Lighthouse returned no result for ${url}.`);
  const { lhr } = outcome;
  if (lhr.finalDisplayedUrl !== url) throw new Error(`Lighthouse was redirected from ${url} to ${lhr.finalDisplayedUrl}.`);
  for (const category of CATEGORIES) printFailedAudits(lhr, category);
  const value = (audit: string) => lhr.audits[audit]?.numericValue ?? Number.NaN;
  const requests = (lhr.audits["network-requests"]?.details as { items?: readonly NetworkItem[] } | undefined)?.items ?? [];
  const scripts = requests.filter((item) => item.resourceType === "Script");
  const bytesOf = (items: readonly NetworkItem[]) => items.reduce((sum, item) => sum + item.transferSize, 0);
  return {
    ...Object.fromEntries(CATEGORIES.map((category) => [category, Math.round((lhr.categories[category]?.score ?? 0) * 100)])),
    firstPaintMs: Math.round(value("first-contentful-paint")),
    largestPaintMs: Math.round(value("largest-contentful-paint")),
    blockingMs: Math.round(value("total-blocking-time")),
    shift: Math.round(value("cumulative-layout-shift") * 1000) / 1000,
    requests: requests.length,
    bytes: bytesOf(requests),
    scriptFiles: scripts.length,
    scriptBytes: bytesOf(scripts),
    benchmarkIndex: Math.round(lhr.environment.benchmarkIndex),
  };
}

interface NetworkItem {
  readonly transferSize: number;
  readonly resourceType?: string;
}

/** Lists the audits that keep a category below its full score. For performance, the metrics are reported instead. */
function printFailedAudits(lhr: Result, category: (typeof CATEGORIES)[number]): void {
  if (category === "performance") return;
  for (const { id, weight } of lhr.categories[category]?.auditRefs ?? []) {
    const audit = lhr.audits[id];
    if (weight > 0 && audit !== undefined && audit.score !== null && audit.score < 1)
      console.log(`${category}: ${audit.title} (${id})`);
  }
}

function medians(runs: readonly Figures[]): Figures {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const sorted = runs.map((run) => run[name] ?? Number.NaN).toSorted((a, b) => a - b);
      return [name, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN];
    }),
  );
}
