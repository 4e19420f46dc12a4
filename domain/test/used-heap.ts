import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Heap bytes in use after garbage collection: what is kept, whatever else the process has allocated and not yet returned. */
export function usedHeap(): number {
  setFlagsFromString("--expose_gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
