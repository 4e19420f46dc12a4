/** The only policy that the content security policy allows (`trusted-types`). */
const POLICY = "farline-worker";
/** Worker scripts on our origin: the service worker, and the workers that the build places in `assets`. */
const OWN = /^\/(service-worker|assets\/[\w-]+)\.js$/;

/** The part of the Trusted Types API (W3C) that is used here. Not every browser has it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}
interface Policy {
  createScriptURL(url: string): string;
}

/** A page can create a policy of a given name only once. */
let policy: Policy | undefined;

/**
 * A worker's address in the form the browser accepts: where Trusted Types are enforced, script addresses must come from a
 * policy. This one accepts only our own workers.
 */
export function workerAddress(path: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return path;
  policy ??= trustedTypes.createPolicy(POLICY, {
    createScriptURL(url) {
      if (!OWN.test(url)) throw new TypeError(`${url} is not the address of a worker.`);
      return url;
    },
  });
  return policy.createScriptURL(path);
}

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
