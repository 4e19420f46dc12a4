import { readFileSync } from "node:fs";
import { until } from "./readiness.ts";

const STARTED_WITHIN_MS = 60_000;

/** By what the command line of each program of an installation is known. `outside`: payment provider, carrier and mail server. */
export const SCRIPTS = {
  service: "server/src/main.ts",
  exchange: "voice/src/main.ts",
  "media process": "media-process.ts",
  outside: "sandbox/src/main.ts",
} as const;

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const list = readOf(`/proc/${pid}/task/${pid}/children`);
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** All processes that a process and its children have started. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The command line of a process. */
export function commandOf(pid: number): string {
  return readOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

/** Its lines of proc_pid_status(5). */
export function procStatusOf(pid: number): string {
  return readOf(`/proc/${pid}/status`);
}

/** The environment that a process was started with. */
export function environmentOf(pid: number): Record<string, string> {
  const lines = readOf(`/proc/${pid}/environ`).split("\0").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** The process below this one that runs a script. @throws Error if it is not started in time */
export async function processOf(pid: number, script: string): Promise<number> {
  const find = () => descendantsOf(pid).find((one) => commandOf(one).includes(script));
  await until(`process of ${script}`, () => find() !== undefined, STARTED_WITHIN_MS);
  return find() ?? 0;
}

/** Empty if the process has ended meanwhile. */
function readOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
