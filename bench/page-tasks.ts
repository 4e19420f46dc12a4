import type { Page } from "@playwright/test";
import { rank } from "@farline/drills/support/spread.ts";

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
export interface PageTask {
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
