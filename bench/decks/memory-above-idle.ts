import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf } from "@farline/drills/support/processes.ts";

const SAMPLE_EVERY_MS = 100;

/** Memory of this process and all below it, in MB. */
export interface MemoryPeak {
  /** The largest growth of all together. A new process counts with its program, the others with what they have allocated. */
  readonly aboveIdle: number;
  /** The largest new process alone. */
  readonly largestNew: number;
  /** The growth of this process alone. */
  readonly own: number;
}

/** Measures memory while something runs. Linux only; see proc_pid_status(5). */
export async function withMemoryPeak<Result>(run: () => Promise<Result>): Promise<{ result: Result; memory: MemoryPeak }> {
  const before = new Set(processes());
  const idleKb = sum([...before].map((pid) => memoryOf(pid).anonymousKb));
  let peakKb = 0;
  let largestKb = 0;
  let ownKb = 0;
  const ownIdleKb = memoryOf(process.pid).anonymousKb;
  const stop = new AbortController();
  const sampling = (async () => {
    while (!stop.signal.aborted) {
      const now = processes().map((pid) => ({ isNew: !before.has(pid), ...memoryOf(pid) }));
      peakKb = Math.max(
        peakKb,
        sum(now.map((one) => (one.isNew && !one.isPostgres ? one.residentKb : one.anonymousKb))) - idleKb,
      );
      largestKb = Math.max(largestKb, ...now.filter((one) => one.isNew).map((one) => (one.isPostgres ? 0 : one.residentKb)));
      ownKb = Math.max(ownKb, memoryOf(process.pid).anonymousKb - ownIdleKb);
      await pause(SAMPLE_EVERY_MS);
    }
  })();
  try {
    const result = await run();
    return { result, memory: { aboveIdle: megabytes(peakKb), largestNew: megabytes(largestKb), own: megabytes(ownKb) } };
  } finally {
    stop.abort();
    await sampling;
  }
}

/** This process and all below it. */
function processes(root = process.pid): number[] {
  return [root, ...readOr([], () => childrenOf(root)).flatMap((pid) => processes(pid))];
}

/** Zero for a process that has ended. The memory that PostgreSQL's processes share is not counted. */
function memoryOf(pid: number): { anonymousKb: number; residentKb: number; isPostgres: boolean } {
  const status = readOr("", () => readFileSync(`/proc/${pid}/status`, "utf8"));
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return { anonymousKb: figure("RssAnon"), residentKb: figure("VmRSS"), isPostgres: status.startsWith("Name:\tpostgres") };
}

function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function megabytes(kb: number): number {
  return Math.round((kb * 1_024) / 1e6);
}
