import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import type { Page } from "@playwright/test";
import { withSignedInPage } from "./signed-in-page.ts";
import { spread } from "@farline/drills/support/spread.ts";

const RUNS = 5;
/** A crowded mobile network: milliseconds for a round trip, bytes a second each way. */
const NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const TIMEOUT_MS = 60_000;

interface Opening {
  readonly firstPaintMs: number;
  /** When a pressed key enters its digit. */
  readonly keysMs: number;
  /** When a call can be placed: the number is priced and Call Now is enabled. */
  readonly callMs: number;
}

/**
 * A customer opens the dialer over a slow network and dials at once, with an empty cache and then once more: milliseconds after the
 * navigation began, medians of five.
 */
export async function slowNetwork(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ page, product }) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", NETWORK);
    await page.addInitScript(dialAtOnce, TONE_LINE);
    const open = async () => {
      await page.goto(`${product.url}/dialer`, { timeout: TIMEOUT_MS, waitUntil: "commit" });
      return await opening(page);
    };
    const [first, second]: [Opening[], Opening[]] = [[], []];
    for (let run = 0; run < RUNS; run++) {
      await devtools.send("Network.clearBrowserCache");
      const where = { origin: product.url, storageTypes: "service_workers,cache_storage" };
      await devtools.send("Storage.clearDataForOrigin", where);
      first.push(await open());
      second.push(await open());
    }
    return { ...medians(first), secondVisit: medians(second) };
  });
}

function medians(openings: readonly Opening[]): Opening {
  const median = (name: keyof Opening) => spread(openings.map((one) => one[name])).median;
  return { firstPaintMs: median("firstPaintMs"), keysMs: median("keysMs"), callMs: median("callMs") };
}

async function opening(page: Page): Promise<Opening> {
  const noted = await page.waitForFunction(
    () => {
      const { opening } = globalThis as unknown as { opening: Partial<Opening> };
      return opening.callMs === undefined ? null : opening;
    },
    undefined,
    { timeout: TIMEOUT_MS },
  );
  const { keysMs = Number.NaN, callMs = Number.NaN } = (await noted.jsonValue()) ?? {};
  const firstPaintMs = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  return { firstPaintMs: Math.round(firstPaintMs ?? Number.NaN), keysMs, callMs };
}

/** Runs in the page before its own scripts: presses the number's keys as soon as they are there. */
function dialAtOnce(number: string): void {
  const opening: { keysMs?: number; callMs?: number } = {};
  Object.assign(globalThis, { opening });
  const digits = number.slice(1).split("");
  const buttons = () => [...document.querySelectorAll("button")];
  const press = (digit: string) =>
    buttons()
      .find((one) => one.querySelector("b")?.textContent === digit)
      ?.click();
  const look = () => {
    const field = document.querySelector<HTMLInputElement>("input[type=tel]");
    if (opening.keysMs === undefined && field !== null) {
      press("0");
      if (field.value.endsWith("0")) opening.keysMs = Math.round(performance.now());
      field.value = "";
      if (opening.keysMs !== undefined) {
        field.value = "+";
        for (const digit of digits) press(digit);
      }
    }
    const call = buttons().find((one) => one.textContent?.includes("Call Now"));
    if (opening.keysMs !== undefined && call?.disabled === false) opening.callMs = Math.round(performance.now());
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
