import type { Page } from "@playwright/test";
import { rank } from "@farline/drills/support/spread.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { withSignedInPage } from "./with-product.ts";

const CALL_SECONDS = 12;
/** How long the page takes to become idle. */
const SETTLE_MS = 4000;
/** Typed, deleted and retyped: every key formats the number and parses it with the numbering plans. */
const NUMBERS = ["+233200000142", "02079460001", "+14155552671", "+390612345678", "+919876543210"];

/**
 * The longest main-thread tasks while a number is typed and during a call. The budget applies to processor time, because the
 * machine runs the whole product and the call's audio beside the page.
 */
export async function mainThread(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ page, product }) => {
    await page.goto(`${product.url}/dialer`);
    await page.waitForTimeout(SETTLE_MS);
    const typing = await traced(page, () => typeNumbers(page));
    const calling = await traced(page, () => callAndTalk(page));
    return { typing, calling, withinBudget: typing.ofTheProcessor.over50Ms === 0 && calling.ofTheProcessor.over50Ms === 0 };
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

/** Measures the page's main thread during `work`. */
async function traced(page: Page, work: () => Promise<void>): Promise<ReturnType<typeof taskFigures>> {
  const trace = await startTrace(page);
  await work();
  return taskFigures(await trace.stop());
}

/** No task may block the page's main thread for longer. */
const MAX_TASK_MS = 50;
/** The mark in the trace after which tasks count: it excludes the task that starts tracing. */
const BEGIN = "work-begins";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds on the clock that all processes share. */
  readonly ts: number;
  /** Microseconds of wall-clock time, and of processor time. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** One task of a page's main thread: its duration and its processor time. */
interface PageTask {
  readonly clockMs: number;
  readonly processorMs: number;
}

const NAMES = new Set(["RunTask", "ThreadControllerImpl::RunTask", "thread_name", BEGIN]);

/** Records every task of a page's main thread from now on, with Chromium's trace. */
export async function startTrace(page: Page): Promise<{ stop(): Promise<PageTask[]> }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value as unknown as TraceEvent[]) if (NAMES.has(event.name)) events.push(event);
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      recordMode: "recordUntilFull",
      traceBufferSizeInKb: 1_000_000,
      includedCategories: ["disabled-by-default-devtools.timeline", "toplevel", "blink.user_timing", "__metadata"],
      excludedCategories: ["*"],
    },
  });
  await page.evaluate((name) => void performance.mark(name), BEGIN);
  return {
    async stop() {
      const complete = new Promise<void>((settle) => session.once("Tracing.tracingComplete", () => settle()));
      await session.send("Tracing.end");
      await complete;
      await session.detach();
      return tasksIn(events);
    },
  };
}

function tasksIn(events: readonly TraceEvent[]): PageTask[] {
  const thread = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;
  const main = new Set(events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(thread));
  const begin = events.find(({ name }) => name === BEGIN)?.ts;
  if (begin === undefined) throw new Error("The trace has no start mark.");
  const tasks = events
    .filter((one) => one.name.endsWith("RunTask") && one.ph === "X" && one.ts >= begin && main.has(thread(one)))
    .map(({ dur = 0, tdur = 0 }) => ({ clockMs: dur / 1000, processorMs: tdur / 1000 }));
  if (tasks.length === 0) throw new Error("The trace has no task of a page's main thread.");
  return tasks;
}

/** Task durations by wall clock and by processor. On a busy machine only processor time measures the page. */
export function taskFigures(tasks: readonly PageTask[]) {
  return {
    tasks: tasks.length,
    byTheClock: slowest(tasks.map(({ clockMs }) => clockMs)),
    ofTheProcessor: slowest(tasks.map(({ processorMs }) => processorMs)),
  };
}

function slowest(ms: readonly number[]) {
  return { longestMs: rank(ms, 1), p999Ms: rank(ms, 0.999), over50Ms: ms.filter((one) => one > MAX_TASK_MS).length };
}
