import { readFileSync } from "node:fs";
import { join } from "node:path";

const SYSCTL = "/proc/sys";

/** Reads a setting of the running kernel, such as "kernel/sched_autogroup_enabled"; null if it does not exist. */
export type ReadKernel = (name: string) => string | null;

/** @param root the folder of the settings; replaced in tests */
export function kernelSettings(root = SYSCTL): ReadKernel {
  return (name) => {
    try {
      return readFileSync(join(root, name), "utf8").trim();
    } catch {
      return null;
    }
  };
}
