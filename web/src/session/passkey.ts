import type { PasskeyCreateRequest, PasskeySignInRequest } from "@farline/contract/second-factor.ts";
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { loadPart } from "./load-part.ts";

/** The service's options, passed to the browser unchanged. */
type Options = Record<string, unknown>;

/** Why there is no passkey: the user cancelled or ran out of time, the device already has one, or it failed. */
export type PasskeyProblem = "stopped" | "known" | "broken";

export class PasskeyError extends Error {
  readonly problem: PasskeyProblem;

  constructor(problem: PasskeyProblem, cause: unknown) {
    super(`No passkey: ${problem}.`, { cause });
    this.name = "PasskeyError";
    this.problem = problem;
  }
}

/** Whether this browser supports passkeys. */
export function passkeysSupported(): boolean {
  return typeof window !== "undefined" && typeof window.PublicKeyCredential === "function";
}

/** Lets the user choose a passkey and signs with it. Returns what the service verifies. @throws PasskeyError */
export async function signWithPasskey(options: Options): Promise<PasskeySignInRequest["credential"]> {
  // The names at the import keep the rest of the package out of the build.
  const startAuthentication = await loadPart(async () => {
    const { startAuthentication: start } = await import("@simplewebauthn/browser");
    return start;
  });
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return plain(await startAuthentication({ optionsJSON }).catch(explain));
}

/** Creates a passkey on a device the user chooses. Returns what the service stores. @throws PasskeyError */
export async function makePasskey(options: Options): Promise<PasskeyCreateRequest["credential"]> {
  const startRegistration = await loadPart(async () => {
    const { startRegistration: start } = await import("@simplewebauthn/browser");
    return start;
  });
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return plain(await startRegistration({ optionsJSON }).catch(explain));
}

/** With its extensions' results as plain values, as the contract reads them. */
function plain<Credential extends { clientExtensionResults: object }>(credential: Credential) {
  return { ...credential, clientExtensionResults: { ...credential.clientExtensionResults } as Record<string, unknown> };
}

/** Error names from Web Authentication, sections 5.1.3 and 5.1.4. */
function explain(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "NotAllowedError" || name === "AbortError") throw new PasskeyError("stopped", cause);
  throw new PasskeyError(name === "InvalidStateError" ? "known" : "broken", cause);
}
