/** The one policy that the service's content security policy allows (`trusted-types`). */
const POLICY = "farline-worker";
/** Of our own origin: the service worker, and what the build puts beside the app's scripts. */
const OWN = /^\/(service-worker|assets\/[\w-]+)\.js$/;

/** Only what is used of the Trusted Types API (W3C), which not every browser has. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}
interface Policy {
  createScriptURL(url: string): string;
}

/** A policy of a name can be made once in a page. */
let policy: Policy | undefined;

/**
 * The address of one of our workers, as the browser takes it: where Trusted Types are enforced a script's address must
 * come from a policy. Ours lets nothing through that is not our own.
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
