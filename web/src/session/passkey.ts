import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";

/** What the service sent for the browser, passed on as it is. */
type Options = Record<string, unknown>;

/** Why no passkey came: the person stopped it or let the time run out, the device has one already, or it does not work. */
export type PasskeyProblem = "stopped" | "known" | "broken";

export class PasskeyError extends Error {
  readonly problem: PasskeyProblem;

  constructor(problem: PasskeyProblem, cause: unknown) {
    super(`No passkey: ${problem}.`, { cause });
    this.name = "PasskeyError";
    this.problem = problem;
  }
}

/** Whether this browser knows passkeys. */
export function passkeysSupported(): boolean {
  return typeof window !== "undefined" && typeof window.PublicKeyCredential === "function";
}

/** Lets the person choose a passkey and signs with it. Returns what the service checks. @throws PasskeyError */
export async function signWithPasskey(options: Options): Promise<object> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON }).catch(explain);
}

/** Makes a passkey on a device the person chooses. Returns what the service keeps. @throws PasskeyError */
export async function makePasskey(options: Options): Promise<object> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return startRegistration({ optionsJSON }).catch(explain);
}

/** The names are those of Web Authentication, sections 5.1.3 and 5.1.4. */
function explain(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "NotAllowedError" || name === "AbortError") throw new PasskeyError("stopped", cause);
  throw new PasskeyError(name === "InvalidStateError" ? "known" : "broken", cause);
}
