import type { Page } from "@playwright/test";
import { signUp, tokenOf } from "@farline/e2e/support/customer.ts";
import { insertPastCalls } from "@farline/e2e/support/past-calls.ts";
import { databaseUrlOf } from "@farline/e2e/support/product.ts";
import { startTrace, taskFigures } from "./page-tasks.ts";
import { withBrowser, withProduct } from "./with-product.ts";
import { rank } from "@farline/drills/support/spread.ts";

const CALLS = 100_000;
const REQUESTS = 30;
/** As fast as a user spins a mouse wheel. */
const PIXELS_PER_FRAME = 1_500;
/** A safety limit: the list is scrolled to its end. */
const SCROLL_LIMIT_MS = 15 * 60_000;

/**
 * The history and dashboard of a customer with 100,000 calls: request times in milliseconds, and the main thread's tasks while
 * the list scrolls from the first to the last call, from a browser trace.
 */
export async function history(): Promise<Record<string, unknown>> {
  return withProduct((product) =>
    withBrowser(async (browser) => {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
      const email = await signUp(page, product.url);
      await insertPastCalls(databaseUrlOf(product), email, CALLS);
      const requests = await measureRequests(page, product.url);
      await page.goto(`${product.url}/history`);
      await page.locator('a[href^="/call/"]').first().waitFor();
      return { calls: CALLS, requests, scroll: await measureScroll(page) };
    }),
  );
}

/** Sent from the page, because a session is bound to its browser. */
async function measureRequests(page: Page, url: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const figures: Record<string, unknown> = {};
  for (const [name, path] of Object.entries({
    firstPage: "history?limit=100",
    firstPageOfACountry: "history?limit=100&country=GH&status=failed",
    searchWithoutAHit: "history?limit=100&search=0000000000",
    totals: "totals",
    summary: "summary?months=12&time_zone=America/New_York",
    countries: "countries",
  })) {
    const took: number[] = [];
    for (let turn = 0; turn < REQUESTS; turn++) {
      const began = performance.now();
      const answer = await page.request.get(`${url}/api/calls/${path}`, { headers });
      await answer.body();
      if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}.`);
      took.push(performance.now() - began);
    }
    figures[`${name}Ms`] = { median: rank(took, 0.5), worst: rank(took, 1) };
  }
  return figures;
}

/** Scrolls to the last call while the browser traces every main-thread task. */
async function measureScroll(page: Page): Promise<Record<string, unknown>> {
  const trace = await startTrace(page);
  const scrolled = await page.evaluate(scrollToTheEnd, { pixels: PIXELS_PER_FRAME, limitMs: SCROLL_LIMIT_MS });
  const tasks = await trace.stop();
  const rows = await page.locator("main [aria-posinset]").count();
  return {
    seconds: Math.round(scrolled.ms / 1000),
    reachedCall: scrolled.lastCall,
    frames: scrolled.frames,
    rowsInThePage: rows,
    heapMiB: Math.round(scrolled.heapBytes / 2 ** 20),
    ...taskFigures(tasks),
  };
}

/** Runs in the page: scrolls in every frame until the end is reached and no more calls load. */
async function scrollToTheEnd({ pixels, limitMs }: { pixels: number; limitMs: number }) {
  const REST_FRAMES = 120;
  const began = performance.now();
  let frames = 0;
  let resting = 0;
  while (resting < REST_FRAMES && performance.now() - began < limitMs) {
    await new Promise((frame) => requestAnimationFrame(frame));
    frames += 1;
    const before = window.scrollY;
    window.scrollBy(0, pixels);
    resting = window.scrollY === before ? resting + 1 : 0;
  }
  const last = [...document.querySelectorAll("main [aria-posinset]")].at(-1);
  const memory = (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory;
  return {
    ms: performance.now() - began,
    frames,
    lastCall: Number(last?.getAttribute("aria-posinset") ?? 0),
    heapBytes: memory?.usedJSHeapSize ?? Number.NaN,
  };
}
