// oxlint-disable-next-line import/default -- the build gives the address of the worker it makes of this file
import warmPath from "../worker/warm-formats.ts?worker&url";
import { workerAddress } from "../browser/worker-address.ts";

/** A browser without the worker, or a very slow one, makes its formats when they are needed. */
const LONGEST_MS = 500;

let warm: Promise<void> | undefined;

/**
 * Makes the first formats of numbers and dates in a worker. The first one of a process costs Chromium 25 to 50 ms on a
 * laptop, whatever it is for, and four times that on a phone; those after it nothing that counts. Resolves when it is
 * done; never rejects.
 */
export function warmFormats(): Promise<void> {
  warm ??= new Promise((resolve) => {
    setTimeout(resolve, LONGEST_MS);
    try {
      const worker = new Worker(workerAddress(warmPath));
      worker.addEventListener("message", () => resolve());
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage(document.documentElement.lang);
    } catch {
      resolve();
    }
  });
  return warm;
}
