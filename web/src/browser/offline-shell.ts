import { workerAddress } from "./worker-address.ts";

let asked = false;

/**
 * Registers the service worker that caches the app's shell, so that the app opens offline and says so. A newer worker takes
 * over when a page opens, never while one is open. Runs once per page. @throws when the browser refuses the worker
 */
export async function keepShell(): Promise<void> {
  if (asked || !("serviceWorker" in navigator)) return;
  asked = true;
  const registration = await navigator.serviceWorker.register(workerAddress("/service-worker.js"), { updateViaCache: "none" });
  registration.waiting?.postMessage("take-over");
}
