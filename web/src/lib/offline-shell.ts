const WORKER_PATH = "/service-worker.js";
/** The one policy that the service's content security policy allows (`trusted-types`). */
const POLICY = "farline-worker";

/** Only what is used of the Trusted Types API (W3C), which not every browser has. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): string };
}

/**
 * Where Trusted Types are enforced a script's address must come from a policy. Ours knows one address and lets nothing
 * else through.
 */
function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return WORKER_PATH;
  const policy = trustedTypes.createPolicy(POLICY, {
    createScriptURL(url) {
      if (url !== WORKER_PATH) throw new TypeError(`${url} is not the address of the worker.`);
      return url;
    },
  });
  return policy.createScriptURL(WORKER_PATH);
}

let asked = false;

/**
 * Keeps the app's shell in the browser, so that it opens without a network and says so. A worker of a newer build takes
 * over when a page opens, never in the middle of one. Asked for once a page. @throws when the browser refuses the worker
 */
export async function keepShell(): Promise<void> {
  if (asked || !("serviceWorker" in navigator)) return;
  asked = true;
  const registration = await navigator.serviceWorker.register(workerAddress(), { updateViaCache: "none" });
  registration.waiting?.postMessage("take-over");
}
