import { workerAddress } from "./worker-address.ts";

let asked = false;

/**
 * Keeps the app's shell in the browser, so that it opens without a network and says so. A worker of a newer build takes
 * over when a page opens, never in the middle of one. Asked for once a page. @throws when the browser refuses the worker
 */
export async function keepShell(): Promise<void> {
  if (asked || !("serviceWorker" in navigator)) return;
  asked = true;
  const registration = await navigator.serviceWorker.register(workerAddress("/service-worker.js"), { updateViaCache: "none" });
  registration.waiting?.postMessage("take-over");
}
