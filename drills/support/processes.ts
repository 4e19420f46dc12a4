import { readFileSync } from "node:fs";

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const list = readOf(`/proc/${pid}/task/${pid}/children`);
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** All processes that a process and its children have started. */
export function below(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...below(child)]);
}

/** The command line of a process. */
export function commandOf(pid: number): string {
  return readOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

/** Empty if the process has ended meanwhile. */
function readOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
