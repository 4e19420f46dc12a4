import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { layoutShiftsOf, watchLayoutShifts } from "@farline/e2e/support/layout/shifts.ts";
import { insertPastCalls } from "@farline/e2e/support/past-calls.ts";
import { databaseUrlOf, type Product } from "@farline/e2e/support/product.ts";
import { type BrowserContext, devices, type Page } from "@playwright/test";
import { loadavg } from "node:os";
import { withSignedInPage } from "./with-product.ts";
import { spread } from "@farline/drills/support/spread.ts";

const RUNS = 5;
/** A crowded mobile network: milliseconds for a round trip, bytes a second each way. */
const NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** A slow phone beside the machine that measures. */
const CPU_SLOWDOWN = 4;
const TIMEOUT_MS = 60_000;
const NUMBER_FIELD = "input[type=tel]";
/** The pages on a slow phone, by what shows that each is drawn; the best of three, because other work on the machine only adds. */
const VISITOR_PAGES = { "/": "h1", "/login": "form", "/register": "form" };
const PAGES = { ...VISITOR_PAGES, "/dialer": NUMBER_FIELD, "/topup": "h1", "/history": "h1", "/contacts": "h1" };
const CALL = "[role=listitem]";
const CALLS = 200;
/** The newest calls, which the browser has not seen yet. */
const UNSEEN_CALLS = 5;
const PAGE_RUNS = 3;
/** The page has its data by then, so that nothing moves any more. */
const SETTLE_MS = 4_000;

interface Opening {
  readonly firstPaintMs: number;
  /** When a pressed key enters its digit. */
  readonly keysMs: number;
  /** When a call can be placed: the number is priced and Call Now is enabled. */
  readonly callMs: number;
}

interface Frame {
  readonly firstPaintMs: number;
  /** When the form or the page's heading is drawn. */
  readonly frameMs: number;
  /** The sum of all layout shifts. */
  readonly shift: number;
  /** Programs that ran or waited for a processor. */
  readonly load: number;
}

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * A customer opens the dialer over a slow network and dials at once, with an empty cache and then once more: milliseconds after the
 * navigation began, medians of five. Then the pages on a slow phone with an empty cache, and the history as it was last seen when the
 * service has other calls: the best of three, and how busy the machine was.
 */
export async function slowNetwork(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ page, product, email }) => {
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
    const pages = await everyPage(page, product.url);
    const lastSeen = await lastSeenHistory(page, product, email);
    return { ...medians(first), secondVisit: medians(second), pages: { ...pages, "/history as last seen": lastSeen } };
  });
}

async function everyPage(signedIn: Page, origin: string): Promise<Record<string, Frame>> {
  const session = await signedIn.context().storageState();
  const pages: Record<string, Frame> = {};
  for (const [path, drawn] of Object.entries(PAGES))
    pages[path] = await bestFrame(signedIn, {
      address: origin + path,
      drawn,
      state: path in VISITOR_PAGES ? undefined : session,
    });
  return pages;
}

/** Until the calls are there that the browser keeps, and what moves when the true ones come. */
async function lastSeenHistory(signedIn: Page, product: Product, email: string): Promise<Frame> {
  const address = `${product.url}/history`;
  await insertPastCalls(databaseUrlOf(product), email, CALLS);
  const seeing = await signedIn.context().newPage();
  await seeing.goto(address);
  await seeing.locator(CALL).first().waitFor();
  await seeing.waitForFunction(() => localStorage.getItem("last-seen")?.includes('"totals"'));
  await seeing.evaluate((unseen) => {
    const kept = JSON.parse(localStorage.getItem("last-seen") ?? "") as { lists: { calls: { data: unknown[] } } };
    kept.lists.calls.data.splice(0, unseen);
    localStorage.setItem("last-seen", JSON.stringify(kept));
  }, UNSEEN_CALLS);
  const state = await signedIn.context().storageState();
  await seeing.close();
  return await bestFrame(signedIn, { address, drawn: CALL, state });
}

interface FrameOf {
  readonly address: string;
  /** What shows that the page is drawn. */
  readonly drawn: string;
  readonly state: StorageState | undefined;
}

async function bestFrame(signedIn: Page, { address, drawn, state }: FrameOf): Promise<Frame> {
  const browser = signedIn.context().browser();
  if (browser === null) throw new Error("The browser is gone.");
  const frames: Frame[] = [];
  for (let run = 0; run < PAGE_RUNS; run++) {
    const context = await browser.newContext({
      ...devices["Pixel 7"],
      serviceWorkers: "block",
      ...(state === undefined ? {} : { storageState: state }),
    });
    const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
    frames.push({ ...(await frameOf(await context.newPage(), address, drawn)), load });
    await context.close();
  }
  const least = (name: keyof Frame) => Math.min(...frames.map((one) => one[name]));
  return { firstPaintMs: least("firstPaintMs"), frameMs: least("frameMs"), shift: least("shift"), load: least("load") };
}

async function frameOf(page: Page, address: string, drawn: string): Promise<Omit<Frame, "load">> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", NETWORK);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await watchLayoutShifts(page);
  await page.addInitScript(watchFrame, drawn);
  // The network is never idle: live events keep a connection.
  await page.goto(address, { timeout: TIMEOUT_MS });
  await page.waitForFunction(() => document.querySelector("[data-shell]") === null, undefined, { timeout: TIMEOUT_MS });
  await page.waitForTimeout(SETTLE_MS);
  const { total } = await layoutShiftsOf(page);
  const times = await page.evaluate(() => {
    const { frame } = globalThis as unknown as { frame: { frameMs: number } };
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return { firstPaintMs: Math.round(paint?.startTime ?? Number.NaN), frameMs: Math.round(frame.frameMs) };
  });
  return { ...times, shift: Math.round(total * 1000) / 1000 };
}

/** Runs in the page before its own scripts: notes when the element is drawn. */
function watchFrame(drawn: string): void {
  const frame = { frameMs: Number.NaN };
  Object.assign(globalThis, { frame });
  const look = () => {
    const element = document.querySelector(drawn);
    // The frame after the one that lays it out has painted it.
    if (element !== null && element.getClientRects().length > 0) requestAnimationFrame(() => (frame.frameMs = performance.now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
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
