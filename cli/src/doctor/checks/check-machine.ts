import { access, constants, statfs } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fault, ok, reasonOf, warning, type Finding } from "../findings.ts";

const SYSCTL = "/proc/sys";
const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 100 * MIB;
const FREE_BYTES_WARNING = 1024 * MIB;

/** Whether the programs' folders are writable and have room. @param minBytes less is a fault */
export async function checkDisk(folders: readonly string[], minBytes = MIN_FREE_BYTES): Promise<Finding[]> {
  return Promise.all(folders.map((folder) => checkFolder(folder, minBytes)));
}

async function checkFolder(folder: string, minBytes: number): Promise<Finding> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const text = `${folder} has ${Math.floor(freeBytes / MIB)} MiB left`;
    if (freeBytes < minBytes) return fault(`${text}: the programs will stop when it is full.`);
    return freeBytes < FREE_BYTES_WARNING ? warning(`${text}.`) : ok(`${text}.`);
  } catch (error) {
    return fault(`${folder} cannot be written: ${reasonOf(error)}.`);
  }
}

/** Whether the kernel's settings suit a machine that processes audio. */
export function checkKernel(kernel: ReadKernel): Finding {
  if (kernel("kernel/sched_autogroup_enabled") !== "1") return ok("The kernel's settings suit audio.");
  return warning(
    "kernel.sched_autogroup_enabled is 1: the exchange's priority has no effect next to other services, unless its unit sets CPUWeight=, as the one in deploy/systemd does.",
  );
}

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
