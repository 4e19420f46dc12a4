import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { commandOf, descendantsOf } from "@farline/drills/support/processes.ts";
import { removeData, startProduct } from "@farline/e2e/support/product.ts";

const IDLE_MS = 10_000;

/**
 * The time from the start command to healthy, on a new and on an existing data directory, and the idle memory of everything
 * including the database. Memory is the proportional set size (proc(5), smaps_rollup), which counts shared pages once.
 */
export async function start(): Promise<Record<string, unknown>> {
  const first = await startProduct();
  await first.stop();
  const again = await startProduct({ dataDir: first.dataDir });
  await pause(IDLE_MS);
  const family = [again.pid, ...descendantsOf(again.pid)];
  const processes = family.map((pid) => ({ name: nameOf(pid), mebibytes: memoryOf(pid) }));
  await again.stop();
  removeData(first);
  return {
    firstStartSeconds: round(first.startedInMs / 1000),
    laterStartSeconds: round(again.startedInMs / 1000),
    idleMebibytes: round(processes.reduce((sum, one) => sum + one.mebibytes, 0)),
    processes: processes.map((one) => `${round(one.mebibytes)} MiB ${one.name}`),
  };
}

function nameOf(pid: number): string {
  return commandOf(pid).trim().split("/").slice(-3).join("/").slice(0, 80);
}

function memoryOf(pid: number): number {
  const pss = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
  return Number(pss?.[1] ?? 0) / 1024;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
