import { TONE_LINE } from "@farline/e2e/screens.ts";
import type { Browser, Page } from "@playwright/test";
import { withSignedInPage } from "./signed-in-page.ts";

/** No task of the page may hold its main thread longer. */
const LONGEST_TASK_MS = 50;
const CALL_SECONDS = 12;
/** Until the page has come to rest. */
const SETTLE_MS = 4000;
/** Typed, deleted and typed again: every key formats the number and reads it by the numbering plans. */
const NUMBERS = ["+233200000142", "02079460001", "+14155552671", "+390612345678", "+919876543210"];

/** The longest tasks of the page's main thread while a number is typed and during a call, read from traces of Chromium. */
export async function mainThread(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ browser, page, product }) => {
    await page.goto(`${product.url}/dialer`);
    await page.waitForTimeout(SETTLE_MS);
    const typing = await traced(browser, page, () => typeNumbers(page));
    const calling = await traced(browser, page, () => callAndTalk(page));
    return { typing, calling, withinBudget: typing.overBudget === 0 && calling.overBudget === 0 };
  });
}

async function typeNumbers(page: Page): Promise<void> {
  const field = page.getByLabel("Phone number");
  for (const number of NUMBERS) {
    await field.click();
    await page.keyboard.type(number, { delay: 60 });
    for (let pressed = 0; pressed < 4; pressed++) await page.keyboard.press("Backspace");
    await page.keyboard.press("Escape");
  }
  for (const key of ["2", "0", "7", "9"]) await page.getByRole("button", { name: new RegExp(`^${key}`) }).click();
  await page.keyboard.press("Escape");
}

async function callAndTalk(page: Page): Promise<void> {
  await page.getByLabel("Phone number").fill(TONE_LINE);
  await page.getByRole("button", { name: "Call Now" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Keypad" }).click();
  for (const key of ["1", "5"]) await page.getByRole("button", { name: new RegExp(`^${key}`) }).click();
  await page.getByRole("button", { name: "Mute" }).click();
  await page.waitForTimeout(CALL_SECONDS * 1000);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("button", { name: "Call Now" }).waitFor();
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly frame?: string } };
}

interface Tasks {
  readonly tasks: number;
  readonly longestMs: readonly number[];
  readonly overBudget: number;
}

/** Milliseconds of the longest tasks in what the page did meanwhile. */
async function traced(browser: Browser, page: Page, work: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] };
  const thread = (event: TraceEvent) => `${event.pid}:${event.tid}`;
  const mains = new Set(
    traceEvents
      .filter((event) => event.ph === "M" && event.name === "thread_name" && event.args?.name === "CrRendererMain")
      .map(thread),
  );
  const tasks = traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && mains.has(thread(event)))
    .map((event) => Math.round((event.dur ?? 0) / 100) / 10)
    .toSorted((a, b) => b - a);
  if (tasks.length === 0) throw new Error("The trace holds no task of a page's main thread.");
  return { tasks: tasks.length, longestMs: tasks.slice(0, 5), overBudget: tasks.filter((ms) => ms > LONGEST_TASK_MS).length };
}
