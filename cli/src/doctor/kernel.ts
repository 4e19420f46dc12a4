import { readFileSync } from "node:fs";
import { join } from "node:path";

const SYSCTL = "/proc/sys";

/** A setting of the running kernel, such as "net/core/rmem_max"; null where the system has none of this name. */
export type ReadKernel = (name: string) => string | null;

/** @param root where the settings are files, as Linux shows them */
export function kernelSettings(root = SYSCTL): ReadKernel {
  return (name) => {
    try {
      return readFileSync(join(root, name), "utf8").trim();
    } catch {
      return null;
    }
  };
}
