import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copying a database takes half the processor time in memory, and nothing waits for a disk. */
const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

/** A new folder for the data of a test run: in memory if there is room, else where temporary files go. */
export function temporaryFolder(prefix: string): string {
  return mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), prefix));
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // not Linux
  }
}
