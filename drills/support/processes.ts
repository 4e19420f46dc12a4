import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./readiness.ts";

const STARTED_WITHIN_MS = 60_000;

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

/** Settings whose values stand in files of a folder, as `cli keys` makes them. They take the place of values in the settings. */
export function keyFiles(folder: string, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_FILE`, join(folder, name)],
      [name, ""],
    ]),
  );
}

/** The trunk file of an exchange whose carrier is the sandbox. @param port of its phone network, on this machine */
export function sandboxTrunks(port: number): string {
  return JSON.stringify([{ name: "sandbox", host: "127.0.0.1", port, username: "sandbox", password: "sandbox" }]);
}
